variable "names" { type = set(string) }
variable "secret" {
  type      = string
  sensitive = true
}
resource "terraform_data" "inner" {
  for_each         = var.names
  input            = { name = each.key, secret = var.secret, tags = ["x", each.value] }
  triggers_replace = [each.key]
}
output "ids" { value = { for k, r in terraform_data.inner : k => r.id } }
output "secret" {
  value     = var.secret
  sensitive = true
}
