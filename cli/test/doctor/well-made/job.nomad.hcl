variable "image" { default = "registry.example.org/api:1" }

job "api" {
  datacenters = ["dc1"]
  type        = "service"
  meta { owner = "team-${var.team}" }

  group "api" {
    network {
      mode = "bridge"
      port "http" { to = 3000 }
    }
    restart { attempts = 2 }

    service {
      name = "api"
      port = "http"
      tags = [
        "traefik.enable=true", // for the proxy
        "urlprefix-/api",
      ]
      check {
        type     = "tcp"
        interval = "10s"
        timeout  = "2s"
      }
    }

    task "api" {
      driver = "docker"
      config {
        image = var.image
        args  = ["--port", format("%d", 3000)]
      }
      template {
        destination = "local/env"
        env         = true
        data        = <<EOH
DATABASE_URL="{{ key "db" }}"
job "fake" {
EOH
      }
      resources { cpu = 500 }
    }
  }
}
