job "shop" {
  group "shop" {
    count = 3

    network {
      port "http" {}
    }

    service {
      name     = "shop"
      port     = "http"
      provider = "nomad"

      # Takes an instance out of the catalogue, and restarts it when it stays down.
      check {
        name     = "alive"
        type     = "http"
        path     = "/__lbheartbeat__"
        interval = "10s"
        timeout  = "2s"

        check_restart {
          limit = 3
          grace = "30s"
        }
      }

      # With the watchdog, instead of the check above: a busy event loop goes on, one that is stuck is restarted.
      # Add port "watchdog" {} to the network and HEALTH_WATCHDOG_PORT = "${NOMAD_PORT_watchdog}" to the environment.
      # check {
      #   name     = "alive"
      #   type     = "http"
      #   port     = "watchdog"
      #   path     = "/__lbheartbeat__"
      #   interval = "10s"
      #   timeout  = "2s"
      #
      #   check_restart {
      #     limit = 3
      #     grace = "30s"
      #   }
      # }

      # Out of the catalogue only.
      check {
        name     = "healthy"
        type     = "http"
        path     = "/readyz"
        interval = "10s"
        timeout  = "6s"
      }
    }

    task "shop" {
      driver       = "docker"
      user         = "10001:10001"
      kill_timeout = "30s"

      config {
        image           = "registry.example.org/shop:1.2.3"
        ports           = ["http"]
        readonly_rootfs = true
        cap_drop        = ["all"]
      }

      env {
        PORT = "${NOMAD_PORT_http}"
      }
    }
  }
}
