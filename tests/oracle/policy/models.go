package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/builder3"
	openapiutil "k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	generated "k8s.io/kubernetes/pkg/generated/openapi"

	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

// The models that kube-apiserver publishes, and its mutating policies make their type converter from.
func models() (map[string]*spec.Schema, error) {
	namer := openapinamer.NewDefinitionNamer(legacyscheme.Scheme)
	config := genericapiserver.DefaultOpenAPIV3Config(generated.GetOpenAPIDefinitions, namer)
	names := []string{}
	for kind := range legacyscheme.Scheme.AllKnownTypes() {
		if kind.Version == runtime.APIVersionInternal {
			continue
		}
		sample, err := legacyscheme.Scheme.New(kind)
		if err != nil {
			return nil, err
		}
		name := openapiutil.GetCanonicalTypeName(sample)
		if strings.HasPrefix(name, "k8s.io/api/") || strings.HasPrefix(name, "io.k8s.api.") {
			names = append(names, name)
		}
	}
	return builder3.BuildOpenAPIDefinitionsForResources(config, names...)
}
