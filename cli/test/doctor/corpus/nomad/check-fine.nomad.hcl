job "api" {
  group "api" {
    network {
      port "http" { to = 3000 }
    }
    service {
      port = "http"
      check {
        type     = "http"
        path     = "/health"
        interval = "10s"
        timeout  = "2s"
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
