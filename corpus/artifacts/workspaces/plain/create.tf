resource "terraform_data" "same" {
  input            = { a = 1, b = ["x", null], c = true }
  triggers_replace = ["t"]
}
resource "terraform_data" "changed" {
  input = "one"
}
resource "terraform_data" "retyped" {
  input = 1
}
resource "terraform_data" "emptied" {
  input = { k = "v" }
}
resource "terraform_data" "replaced" {
  input            = "replaced"
  triggers_replace = 1
}
resource "terraform_data" "triggers_retyped" {
  triggers_replace = { a = "b" }
}
resource "terraform_data" "gone" {
  input = "gone"
}
resource "terraform_data" "old" {
  input = "moved"
}
resource "terraform_data" "old_changed" {
  input = "moved and changed"
}
resource "terraform_data" "bare" {
}
