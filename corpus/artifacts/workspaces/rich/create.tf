variable "size" {
  type    = number
  default = 2
}
variable "secret" {
  type      = string
  sensitive = true
  default   = "hunter2-hunter2"
}
resource "terraform_data" "flat" {
  input = "one"
}
resource "terraform_data" "nested" {
  input = {
    name    = "nested"
    number  = 12345678901234567890.123456789
    big     = 1e60
    flag    = true
    nothing = null
    list    = [1, "two", { three = [3] }]
    unicode = "Ελληνικά \U0001F600 <tag> & 'q'"
    link    = terraform_data.flat.id
  }
  triggers_replace = { size = var.size }
}
resource "terraform_data" "secret" {
  input            = sensitive({ words = ["correct-horse", "battery"], shown = "x" })
  triggers_replace = var.secret
}
resource "terraform_data" "counted" {
  count = var.size
  input = count.index
}
resource "terraform_data" "first" {
  input            = "created first"
  triggers_replace = var.size
  lifecycle { create_before_destroy = true }
}
resource "terraform_data" "triggered" {
  input = "by another"
  lifecycle { replace_triggered_by = [terraform_data.flat] }
}
resource "terraform_data" "kept" {
  input = "as it was"
  lifecycle { ignore_changes = [input] }
}
resource "terraform_data" "old_name" {
  input = "moved"
}
resource "terraform_data" "forgotten" {
  input = tolist(["a", "b"])
}
module "m" {
  source = "./inner"
  names  = ["a", "b"]
  secret = var.secret
}
data "terraform_remote_state" "none" {
  backend  = "local"
  config   = { path = "other.tfstate" }
  defaults = { answer = 42 }
}
output "flat" { value = terraform_data.flat.output }
output "nested" { value = terraform_data.nested.output }
output "ids" { value = module.m.ids }
output "secret" {
  value     = module.m.secret
  sensitive = true
}
output "remote" { value = data.terraform_remote_state.none.outputs }
check "flat_is_one" {
  assert {
    condition     = terraform_data.flat.output == "one"
    error_message = "flat is not one"
  }
}
