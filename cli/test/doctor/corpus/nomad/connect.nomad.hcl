job "api" {
  group "api" {
    network {
      port "http" { to = 3000 }
    }
    service {
      port = "http"
      connect {
        sidecar_service {}
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
