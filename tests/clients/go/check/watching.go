package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// What an informer told, as "add name", "update name", "delete name".
type told struct {
	mutex sync.Mutex
	count map[string]int
	more  chan struct{}
}

func listen(informer cache.SharedIndexInformer) (*told, error) {
	t := &told{count: map[string]int{}, more: make(chan struct{}, 10000)}
	note := func(verb string, object any) {
		key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
		_, name, _ := cache.SplitMetaNamespaceKey(key)
		t.mutex.Lock()
		defer t.mutex.Unlock()
		t.count[verb+" "+name]++
		t.more <- struct{}{}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { note("add", object) },
		UpdateFunc: func(_, object any) { note("update", object) },
		DeleteFunc: func(object any) { note("delete", object) },
	})
	return t, err
}

func (t *told) wait(ctx context.Context, what string) error {
	for {
		t.mutex.Lock()
		found := t.count[what] > 0
		t.mutex.Unlock()
		if found {
			return nil
		}
		select {
		case <-t.more:
		case <-ctx.Done():
			t.mutex.Lock()
			defer t.mutex.Unlock()
			return fmt.Errorf("never heard of %q, but of %v", what, t.count)
		}
	}
}

func watchListInformer(ctx context.Context, w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	for i := range 20 {
		if _, err := maps.Create(ctx, configMap(fmt.Sprint("before-", i), map[string]string{"watched": "yes"}), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	w.wire.forget()
	factory := informers.NewSharedInformerFactoryWithOptions(w.client, 0, informers.WithNamespace(w.namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "watched" }))
	informer := factory.Core().V1().ConfigMaps()
	heard, err := listen(informer.Informer())
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer stop()
	factory.Start(running.Done())
	if !cache.WaitForCacheSync(running.Done(), informer.Informer().HasSynced) {
		return fmt.Errorf("it never had all:\n%s", w.wire)
	}
	synced, err := informer.Lister().ConfigMaps(w.namespace).List(labels.Everything())
	if err != nil {
		return err
	}
	steps := []struct {
		act  func() error
		told string
	}{
		{func() error {
			_, err := maps.Create(ctx, configMap("new", map[string]string{"watched": "yes"}), metav1.CreateOptions{})
			return err
		}, "add new"},
		{func() error {
			_, err := maps.Patch(ctx, "new", types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{})
			return err
		}, "update new"},
		// It still exists, but this watch has nothing to do with it any more.
		{func() error {
			_, err := maps.Patch(ctx, "new", types.MergePatchType, []byte(`{"metadata":{"labels":null}}`), metav1.PatchOptions{})
			return err
		}, "delete new"},
		{func() error { return maps.Delete(ctx, "before-7", metav1.DeleteOptions{}) }, "delete before-7"},
	}
	for _, step := range steps {
		if err := step.act(); err != nil {
			return err
		}
		if err := heard.wait(ctx, step.told); err != nil {
			return err
		}
	}
	left, err := informer.Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	return errors.Join(
		expect("at first", len(synced), 20),
		expect("at the end", len(left), 19),
		expect("watch lists", w.wire.count("sendInitialEvents=true", "resourceVersionMatch=NotOlderThan", protobuf+";stream=watch"), 1),
		expect("other requests for what is there", w.wire.count("GET", "configmaps", "labelSelector")-w.wire.count("watch=true"), 0),
	)
}

func dynamicObjects(ctx context.Context, w *world) error {
	client, err := dynamic.NewForConfig(w.config)
	if err != nil {
		return err
	}
	kind := appsv1.SchemeGroupVersion.WithResource("deployments")
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, w.namespace, nil)
	heard, err := listen(factory.ForResource(kind).Informer())
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	factory.Start(running.Done())
	factory.WaitForCacheSync(running.Done())

	deployments := client.Resource(kind).Namespace(w.namespace)
	labels := map[string]any{"app": "web"}
	made, err := deployments.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "a", "image": "b"}}},
			}},
	}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	replicas, _, _ := unstructured.NestedInt64(made.Object, "spec", "replicas")
	if err := unstructured.SetNestedField(made.Object, int64(3), "spec", "replicas"); err != nil {
		return err
	}
	changed, err := deployments.Update(ctx, made, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	list, err := deployments.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return errors.Join(
		heard.wait(ctx, "update web"),
		expect("a default", replicas, 1),
		expect("generation", changed.GetGeneration(), 2),
		expect("list", list.GetKind()+" "+list.Items[0].GetKind(), "DeploymentList Deployment"),
		deployments.Delete(ctx, "web", metav1.DeleteOptions{}),
		heard.wait(ctx, "delete web"),
	)
}

func metadataObjects(ctx context.Context, w *world) error {
	client, err := metadata.NewForConfig(w.config)
	if err != nil {
		return err
	}
	kind := corev1.SchemeGroupVersion.WithResource("configmaps")
	if _, err := w.client.CoreV1().ConfigMaps(w.namespace).Create(ctx, configMap("c", map[string]string{"a": "b"}), metav1.CreateOptions{}); err != nil {
		return err
	}
	w.wire.forget()
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, w.namespace, nil)
	heard, err := listen(factory.ForResource(kind).Informer())
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	factory.Start(running.Done())
	if err := heard.wait(ctx, "add c"); err != nil {
		return err
	}
	maps := client.Resource(kind).Namespace(w.namespace)
	list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "a=b"})
	if err != nil {
		return err
	}
	patched, err := maps.Patch(ctx, "c", types.MergePatchType, []byte(`{"metadata":{"labels":{"c":"d"}}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	return errors.Join(
		heard.wait(ctx, "update c"),
		expect("listed", len(list.Items), 1),
		expect("labels", patched.Labels, map[string]string{"a": "b", "c": "d"}),
		maps.Delete(ctx, "c", metav1.DeleteOptions{}),
		heard.wait(ctx, "delete c"),
		expect("answers in protobuf", w.wire.count("GET", protobuf) > 0, true),
	)
}

func leaderElection(ctx context.Context, w *world) error {
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, w.namespace, "leader", w.client.CoreV1(), w.client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: "me"})
	if err != nil {
		return err
	}
	leading, stop := context.WithCancel(ctx)
	defer stop()
	led := false
	leaderelection.RunOrDie(leading, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: time.Second, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			// Not at once: a renewal that is cut off on its way may be done, and client-go then
			// lets go of a lease that it no longer knows.
			OnStartedLeading: func(context.Context) { led = true; time.Sleep(300 * time.Millisecond); stop() },
			OnStoppedLeading: func() {},
		},
	})
	lease, err := w.client.CoordinationV1().Leases(w.namespace).Get(ctx, "leader", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return errors.Join(expect("led", led, true), expect("let go", *lease.Spec.HolderIdentity, ""))
}

func recordEvents(ctx context.Context, w *world) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: w.client.EventsV1()})
	defer broadcaster.Shutdown()
	if err := broadcaster.StartRecordingToSinkWithContext(running); err != nil {
		return err
	}
	subject := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: w.namespace, UID: "u"}}
	broadcaster.NewRecorder(scheme.Scheme, "checker").Eventf(subject, nil, corev1.EventTypeNormal, "Seen", "Looking", "it is there: %d", 1)
	watch, err := w.client.CoreV1().Events(w.namespace).Watch(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=p,reason=Seen"})
	if err != nil {
		return err
	}
	defer watch.Stop()
	event, ok := <-watch.ResultChan()
	if !ok {
		return fmt.Errorf("no event came")
	}
	seen, ok := event.Object.(*corev1.Event)
	if !ok {
		return fmt.Errorf("a %T came", event.Object)
	}
	return errors.Join(
		expect("message", seen.Message, "it is there: 1"),
		expect("component", seen.ReportingController, "checker"),
		expect("kind", seen.InvolvedObject.Kind, "Pod"),
	)
}
