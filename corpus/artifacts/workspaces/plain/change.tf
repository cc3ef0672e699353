resource "terraform_data" "same" {
  input            = { a = 1, b = ["x", null], c = true }
  triggers_replace = ["t"]
}
resource "terraform_data" "changed" {
  input = "two"
}
resource "terraform_data" "retyped" {
  input = ["1", 1, { deep = [{}] }]
}
resource "terraform_data" "emptied" {
  input = null
}
resource "terraform_data" "replaced" {
  input            = "replaced"
  triggers_replace = 2
}
resource "terraform_data" "triggers_retyped" {
  triggers_replace = ["b"]
}
resource "terraform_data" "new" {
  input            = { numbers = [0, -1, 1.5, 12345678901234567890.123], text = "é <&>" }
  triggers_replace = "t"
}
resource "terraform_data" "moved" {
  input = "moved"
}
moved {
  from = terraform_data.old
  to   = terraform_data.moved
}
resource "terraform_data" "moved_changed" {
  input = "moved and then changed"
}
moved {
  from = terraform_data.old_changed
  to   = terraform_data.moved_changed
}
resource "terraform_data" "bare" {
}
