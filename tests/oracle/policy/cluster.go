package main

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Allows to get what is not secret, and says what it was asked.
type echo struct{}

func (echo) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	reason := fmt.Sprintf("%s %s %s/%s/%s %s/%s %s", a.GetUser().GetName(), a.GetVerb(), a.GetAPIGroup(), a.GetResource(),
		a.GetSubresource(), a.GetNamespace(), a.GetName(), a.GetPath())
	if a.GetVerb() == "get" && a.GetResource() != "secrets" {
		return authorizer.DecisionAllow, reason, nil
	}
	return authorizer.DecisionNoOpinion, reason, nil
}

// An informer that has seen all params: typed objects without apiVersion and kind, as upstream's
// clients decode them.
type paramInformer struct{ indexer cache.Indexer }

type syncedInformer struct{ cache.SharedIndexInformer }

func (syncedInformer) HasSynced() bool { return true }

func (p paramInformer) Informer() cache.SharedIndexInformer { return syncedInformer{} }
func (p paramInformer) Lister() cache.GenericLister {
	return cache.NewGenericLister(p.indexer, schema.GroupResource{Resource: "configmaps"})
}

func makeParams(texts []json.RawMessage) (informers.GenericInformer, error) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, text := range texts {
		param := &corev1.ConfigMap{}
		if err := json.Unmarshal(text, param); err != nil {
			return nil, err
		}
		param.APIVersion, param.Kind = "", ""
		if err := indexer.Add(param); err != nil {
			return nil, err
		}
	}
	return paramInformer{indexer}, nil
}

func makeNamespaces(texts []json.RawMessage) (corelisters.NamespaceLister, error) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, text := range texts {
		namespace := &corev1.Namespace{}
		if err := json.Unmarshal(text, namespace); err != nil {
			return nil, err
		}
		namespace.APIVersion, namespace.Kind = "", ""
		if err := indexer.Add(namespace); err != nil {
			return nil, err
		}
	}
	return corelisters.NewNamespaceLister(indexer), nil
}

var paramScope = meta.RESTScopeNamespace

// One type converter for all kinds.
type converters struct{ managedfields.TypeConverter }

func (c converters) GetTypeConverter(schema.GroupVersionKind) managedfields.TypeConverter {
	return c.TypeConverter
}
func (converters) Run(context.Context) {}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(agent, text string) { w.texts = append(w.texts, text) }

// Keeps the annotations that the attributes accept.
type annotated struct {
	admission.Attributes
	annotations map[string]string
}

func (a *annotated) AddAnnotation(key, value string) error {
	err := a.Attributes.AddAnnotation(key, value)
	if _, known := a.annotations[key]; err == nil && !known {
		a.annotations[key] = value
	}
	return err
}
