job "api" {
  group "api" {
    network {
      port "http" { to = 3000 }
    }
    service {
      name = "api"
      port = "http"
    }
    task "api" {
      driver = "docker"
      config {
        image = "registry.acme.test/api:7"
      }
    }
  }
}
