#!/usr/bin/env bash
# Makes the plans and states of this folder again, with the Terraform on the PATH: bash corpus/artifacts/record.sh
# Each folder has one run: the state before (where there was one), the plan as a file and as JSON, and the state after, as a file and as JSON.
# Ids, serials and times are new each time; nothing else is.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_CLI_CONFIG_FILE=/dev/null
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# record NAME ARGUMENTS…: plans with the arguments, applies, and keeps what was there and what came of it.
record() {
  local to="$here/$1"; shift
  rm -rf "$to"; mkdir -p "$to"
  if [ -f terraform.tfstate ]; then cp terraform.tfstate "$to/before.tfstate"; fi
  terraform plan -no-color -input=false -out plan.tfplan "$@" > /dev/null
  cp plan.tfplan "$to/plan.tfplan"
  terraform show -json plan.tfplan > "$to/plan.json"
  terraform apply -no-color -input=false plan.tfplan > /dev/null
  cp terraform.tfstate "$to/after.tfstate"
  terraform show -json > "$to/after.json"
}

# begin NAME: an empty workspace with the first configuration of that name.
begin() {
  rm -rf "$place/$1"; mkdir -p "$place/$1"; cd "$place/$1"
  cp -R "$here/workspaces/$1/." .
  mv change.tf change.tf.later; mv create.tf main.tf
  terraform init -no-color -input=false > /dev/null
}

change() { mv change.tf.later main.tf; }

begin plain
terraform providers schema -json > "$here/schemas.json"
record plain-create
record plain-no-op
change
record plain-change
record plain-destroy -destroy

begin rich
record rich-create
record rich-replace -replace terraform_data.flat -replace 'terraform_data.counted[1]'
terraform taint -no-color terraform_data.nested > /dev/null
record rich-tainted
record rich-refresh-only -refresh-only
change
record rich-target -target terraform_data.late -target terraform_data.new_name -target terraform_data.old_name
record rich-change
record rich-again
record rich-destroy -destroy
