job "shop" {
  group "shop" {
    count = 3

    network {
      # The same number on every node, since peers are found by DNS, which has addresses only.
      port "http" {
        static = 8000
      }

      port "watchdog" {
        static = 8001
      }
    }

    service {
      name     = "shop"
      port     = "http"
      provider = "consul"

      # Readiness: takes an instance out of the catalogue and puts it back, for problems of this instance only.
      check {
        name     = "ready"
        type     = "http"
        path     = "/readyz"
        interval = "5s"
        timeout  = "2s"
      }
    }

    # Every instance, also those that are out of rotation: they have to say so to the others. It has no readiness check, so Consul
    # keeps their addresses.
    service {
      name     = "shop-peers"
      port     = "http"
      provider = "consul"

      # Liveness, on the port of the watchdog: restarts an instance whose event loop is stuck for a minute, or whose pool is. A busy
      # event loop passes, and so does a dependency that is down.
      check {
        name     = "live"
        type     = "http"
        port     = "watchdog"
        path     = "/livez"
        interval = "10s"
        timeout  = "2s"

        check_restart {
          limit = 3
          grace = "2m"
        }
      }
    }

    task "shop" {
      driver       = "docker"
      user         = "10001:10001"
      kill_timeout = "30s"

      config {
        image           = "registry.example.org/shop:1.2.3"
        ports           = ["http", "watchdog"]
        readonly_rootfs = true
        cap_drop        = ["all"]
      }

      env {
        PORT                 = "8000"
        HEALTH_PROBES        = "true"
        HEALTH_WATCHDOG_PORT = "8001"
        # The name resolves to all instances if the nodes forward the domain consul to Consul.
        HEALTH_PROBES_PEERS  = "shop-peers.service.consul:8000"
      }
    }
  }
}
