//go:build tools

// Package sample names the programs that make kubebuilder's sample operator.
package sample

import (
	_ "sigs.k8s.io/controller-tools/cmd/controller-gen"
	_ "sigs.k8s.io/kubebuilder/v4"
)
