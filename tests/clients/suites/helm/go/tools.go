//go:build tools

// Package helm names the program that is built from the modules in go.mod.
package helm

import _ "helm.sh/helm/v4/cmd/helm"
