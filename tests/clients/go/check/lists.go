package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"
)

func pages(ctx context.Context, w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	const objects, size = 40, 7
	for i := range objects {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("c%02d", i), nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	first, err := maps.List(ctx, metav1.ListOptions{Limit: size})
	if err != nil {
		return err
	}
	// What comes and goes between two pages is not in the list that began before.
	if _, err := maps.Create(ctx, configMap("c99", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "c20", metav1.DeleteOptions{}); err != nil {
		return err
	}
	names, versions := []string{}, map[string]bool{}
	for page := first; ; {
		versions[page.ResourceVersion] = true
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		if page.Continue == "" {
			break
		}
		if page, err = maps.List(ctx, metav1.ListOptions{Limit: size, Continue: page.Continue}); err != nil {
			return err
		}
	}

	w.wire.forget()
	lister := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return maps.List(ctx, options)
	})
	lister.PageSize = size
	paged := 0
	if err := lister.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error { paged++; return nil }); err != nil {
		return err
	}
	// With kube-root-ca.crt, which every namespace has.
	return errors.Join(
		expect("remaining", *first.RemainingItemCount, objects+1-size),
		expect("objects", len(names), objects+1),
		expect("in order", slices.IsSorted(names), true),
		expect("as it was at first", slices.Contains(names, "c20") && !slices.Contains(names, "c99"), true),
		expect("one version for all pages", len(versions), 1),
		expect("by the pager", paged, objects+1),
		expect("the pager's requests", w.wire.count("limit=7"), 6),
	)
}

// Lists each resource of each group version in protobuf, into client-go's own types.
func everyList(ctx context.Context, w *world) error {
	_, all, err := w.client.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	var wrong []error
	listed := 0
	for _, group := range all {
		version, err := schema.ParseGroupVersion(group.GroupVersion)
		if err != nil {
			return err
		}
		if !scheme.Scheme.IsVersionRegistered(version) {
			continue // of another module: apiextensions, apiregistration
		}
		config := rest.CopyConfig(w.config)
		config.GroupVersion, config.NegotiatedSerializer = &version, scheme.Codecs.WithoutConversion()
		config.ContentType, config.AcceptContentTypes = protobuf, protobuf
		if config.APIPath = "/apis"; version.Group == "" {
			config.APIPath = "/api"
		}
		client, err := rest.RESTClientFor(config)
		if err != nil {
			return err
		}
		for _, resource := range group.APIResources {
			if strings.Contains(resource.Name, "/") || !slices.Contains(resource.Verbs, "list") {
				continue
			}
			list, err := scheme.Scheme.New(version.WithKind(resource.Kind + "List"))
			if err == nil {
				err = client.Get().Resource(resource.Name).Do(ctx).Into(list)
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("%s %s: %w", version, resource.Name, err))
				continue
			}
			if access, err := meta.ListAccessor(list); err != nil || access.GetResourceVersion() == "" && resource.Name != "componentstatuses" {
				wrong = append(wrong, fmt.Errorf("%s %s: the list has no version", version, resource.Name))
			}
			listed++
		}
	}
	if listed < 50 {
		wrong = append(wrong, fmt.Errorf("only %d resources", listed))
	}
	return errors.Join(wrong...)
}

func discoverAll(ctx context.Context, w *world) error {
	client := discovery.NewDiscoveryClient(w.client.CoreV1().RESTClient())
	version, err := client.ServerVersion()
	if err != nil {
		return err
	}
	aggregated, _, failed, err := client.GroupsAndMaybeResources()
	if err != nil {
		return err
	}
	legacy := discovery.NewDiscoveryClientForConfigOrDie(w.config).WithLegacy()
	_, legacyResources, err := legacy.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	_, resources, err := client.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	document, err := paths["apis/apps/v1"].Schema("application/json")
	if err != nil {
		return err
	}
	second, err := client.OpenAPISchema()
	if err != nil {
		return err
	}
	return errors.Join(
		expect("minor", version.Minor, "36"),
		expect("failed groups", len(failed), 0),
		expect("groups", len(aggregated.Groups) >= 20, true),
		expect("both discoveries", names(resources), names(legacyResources)),
		expect("documents", len(paths) >= 22, true),
		expect("v3 is not empty", len(document) > 1000, true),
		expect("v2 is not empty", len(second.GetDefinitions().GetAdditionalProperties()) > 300, true),
	)
}

func names(groups []*metav1.APIResourceList) []string {
	var out []string
	for _, group := range groups {
		for _, resource := range group.APIResources {
			out = append(out, group.GroupVersion+"/"+resource.Name+":"+resource.Kind)
		}
	}
	slices.Sort(out)
	return out
}

func watchEnds(ctx context.Context, w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	seconds := int64(1)
	watch, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, TimeoutSeconds: &seconds, AllowWatchBookmarks: true})
	if err != nil {
		return err
	}
	if _, err := maps.Create(ctx, configMap("c", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := maps.Create(ctx, configMap("d", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "c", metav1.DeleteOptions{}); err != nil {
		return err
	}
	events := []string{}
	for event := range watch.ResultChan() {
		if object, ok := event.Object.(*corev1.ConfigMap); ok && event.Type != "BOOKMARK" {
			events = append(events, string(event.Type)+" "+object.Name)
		}
	}
	return errors.Join(ctx.Err(), expect("events", events, []string{"ADDED c", "ADDED d", "DELETED c"}))
}
