package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	internal "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Custom resources: a kind with a schema of its own, one version, and no defaults; objects stay as they are written.
type custom struct {
	// By the text of the schema.
	converters map[string]managedfields.TypeConverter
}

// As kube-apiserver's buildOpenAPIModelsForApply does it for a definition.
func (c *custom) converter(kind schema.GroupVersionKind, text json.RawMessage) (managedfields.TypeConverter, error) {
	if known, ok := c.converters[string(text)]; ok {
		return known, nil
	}
	props := &apiextensions.JSONSchemaProps{}
	if err := json.Unmarshal(text, props); err != nil {
		return nil, err
	}
	if err := checkStructural(props); err != nil {
		return nil, err
	}
	definition := &apiextensions.CustomResourceDefinition{Spec: apiextensions.CustomResourceDefinitionSpec{
		Group: kind.Group,
		Scope: apiextensions.NamespaceScoped,
		Names: apiextensions.CustomResourceDefinitionNames{Kind: kind.Kind, ListKind: kind.Kind + "List", Plural: "things"},
		Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: kind.Version, Served: true, Storage: true,
			Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: props}}}}}
	built, err := builder.BuildOpenAPIV3(definition, kind.Version, builder.Options{})
	if err != nil {
		return nil, err
	}
	converter, err := managedfields.NewTypeConverter(built.Components.Schemas, false)
	if err != nil {
		return nil, err
	}
	c.converters[string(text)] = converter
	return converter, nil
}

// The builder ignores a schema that is not structural; here it would be a mistake of the generator.
func checkStructural(props *apiextensions.JSONSchemaProps) error {
	hub := &internal.JSONSchemaProps{}
	if err := apiextensions.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, hub, nil); err != nil {
		return err
	}
	structural, err := structuralschema.NewStructural(hub)
	if err != nil {
		return err
	}
	return structuralschema.ValidateStructural(nil, structural).ToAggregate()
}

// What kube-apiserver's handler of custom resources gives the field manager.
type customObjects struct{}

func (customObjects) Convert(in, out, context any) error { return errors.New("not converted") }
func (customObjects) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (customObjects) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (customObjects) Default(runtime.Object) {}
func (customObjects) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	made := &unstructured.Unstructured{Object: map[string]any{}}
	made.SetGroupVersionKind(kind)
	return made, nil
}

func (c *custom) write(live *unstructured.Unstructured, s *step, seq *sequence) (*unstructured.Unstructured, error) {
	version, err := schema.ParseGroupVersion(s.APIVersion)
	if err != nil {
		return nil, err
	}
	kind := version.WithKind(seq.Kind)
	converter, err := c.converter(kind, seq.Schema)
	if err != nil {
		return nil, err
	}
	reset, err := resetSets(seq.Reset[s.Subresource])
	if err != nil {
		return nil, err
	}
	objects := customObjects{}
	manager, err := managedfields.NewDefaultCRDFieldManager(converter, objects, objects, objects, kind, version, s.Subresource,
		fieldpath.NewExcludeFilterSetMap(reset))
	if err != nil {
		return nil, err
	}
	if live == nil {
		live = &unstructured.Unstructured{Object: map[string]any{}}
		live.SetGroupVersionKind(kind)
	}
	text := []byte(s.Object)
	if s.Op == "merge" {
		if text, err = mergePatchedCustom(live, s); err != nil {
			return nil, err
		}
	}
	object := &unstructured.Unstructured{Object: map[string]any{}}
	if err := object.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	if s.Op == "apply" {
		made, err := manager.Apply(live, object, s.Manager, s.Force)
		if err != nil {
			return nil, err
		}
		return made.(*unstructured.Unstructured), nil
	}
	return manager.UpdateNoErrors(live, object, s.Manager).(*unstructured.Unstructured), nil
}

func mergePatchedCustom(live *unstructured.Unstructured, s *step) ([]byte, error) {
	text, err := live.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return jsonpatch.MergePatch(text, s.Object)
}

func (c *custom) run(seq *sequence) ([]answer, error) {
	answers := []answer{}
	var live *unstructured.Unstructured
	for i := range seq.Steps {
		s := &seq.Steps[i]
		var given *unstructured.Unstructured
		if live != nil {
			given = live.DeepCopy()
		}
		object, err := c.write(given, s, seq)
		if err != nil {
			answers = append(answers, failure(err))
			continue
		}
		live = object
		if err := settle(live, start.Add(time.Duration(i)*time.Minute)); err != nil {
			return nil, err
		}
		text, err := live.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("%w in write %d", err, i)
		}
		answers = append(answers, answer{Object: text})
	}
	return answers, nil
}
