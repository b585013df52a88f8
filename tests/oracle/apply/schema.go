package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/schemaconv"
	openapiutil "k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	generated "k8s.io/kubernetes/pkg/generated/openapi"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

type jsonSet struct{ set *fieldpath.Set }

func (j *jsonSet) UnmarshalJSON(text []byte) error { return j.set.FromJSON(bytes.NewReader(text)) }

// The models that kube-apiserver makes its type converter from.
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

func relationship(r smd.ElementRelationship) string {
	if r == smd.Atomic {
		return "atomic"
	}
	return "granular"
}

// What may be at a place: "string", "map(granular) of Name", "list(set) of string" ...
func describe(schema *smd.Schema, ref smd.TypeRef, depth int) string {
	atom, ok := schema.Resolve(ref)
	if !ok {
		return "?"
	}
	parts := []string{}
	if atom.Scalar != nil {
		parts = append(parts, string(*atom.Scalar))
	}
	if atom.List != nil {
		kind := "atomic"
		if atom.List.ElementRelationship == smd.Associative {
			kind = "set"
			if len(atom.List.Keys) > 0 {
				kind = "map " + strings.Join(atom.List.Keys, ",")
			}
		}
		parts = append(parts, fmt.Sprintf("list(%s)%s", kind, describeElements(schema, atom.List.ElementType, depth)))
	}
	if atom.Map != nil {
		text := "map(" + relationship(atom.Map.ElementRelationship) + ")"
		if len(atom.Map.Fields) > 0 && ref.NamedType != nil {
			text = "struct(" + relationship(atom.Map.ElementRelationship) + ") " + *ref.NamedType
		} else if (atom.Map.ElementType != smd.TypeRef{}) {
			text += describeElements(schema, atom.Map.ElementType, depth)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " | ")
}

// Types of anything contain themselves.
func describeElements(schema *smd.Schema, ref smd.TypeRef, depth int) string {
	if ref.NamedType != nil && strings.HasPrefix(*ref.NamedType, "__untyped") {
		return " of " + *ref.NamedType
	}
	if depth > 4 {
		return " of ..."
	}
	return " of " + describe(schema, ref, depth+1)
}

func printSchema() error {
	found, err := models()
	if err != nil {
		return err
	}
	schema, err := schemaconv.ToSchemaFromOpenAPI(found, false)
	if err != nil {
		return err
	}
	lines := []string{}
	for _, def := range schema.Types {
		if def.Map == nil || len(def.Map.Fields) == 0 {
			continue
		}
		for _, field := range def.Map.Fields {
			line := def.Name + " " + field.Name + " " + describe(schema, field.Type, 0)
			if field.Default != nil {
				text, err := json.Marshal(field.Default)
				if err != nil {
					return err
				}
				line += " = " + string(text)
			}
			lines = append(lines, line)
		}
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Fprintln(os.Stdout, line)
	}
	return nil
}
