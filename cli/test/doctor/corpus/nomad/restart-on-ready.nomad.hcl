job "api" {
  group "api" {
    network {
      port "http" { to = 3000 }
    }
    service {
      port = "http"
      check {
        type     = "http"
        path     = "/readyz"
        interval = "10s"
        timeout  = "2s"
        check_restart {
          limit = 3
        }
      }
    }
    task "api" {
      driver = "docker"
      config {
        image = "registry.acme.test/api:7"
      }
    }
  }
}
