// Talks to the server of $KUBECONFIG in the ways that client-go has, and says what is wrong.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const protobuf = "application/vnd.kubernetes.protobuf"

var checks = []struct {
	name string
	run  func(context.Context, *world) error
}{
	{"typed objects in protobuf", typedObjects},
	{"errors", typedErrors},
	{"patches", patches},
	{"server-side apply", applies},
	{"retry on conflict", retryOnConflict},
	{"subresources", subresources},
	{"lists in pages", pages},
	{"lists of every kind in protobuf", everyList},
	{"deletecollection", deleteCollection},
	{"discovery", discoverAll},
	{"informer with a watch list", watchListInformer},
	{"watch that ends", watchEnds},
	{"dynamic client", dynamicObjects},
	{"metadata client", metadataObjects},
	{"leader election", leaderElection},
	{"event recorder", recordEvents},
}

// What a check has to do with: a namespace of its own, and a record of what went over the wire.
type world struct {
	config    *rest.Config
	client    kubernetes.Interface
	namespace string
	wire      *wire
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	record := &wire{}
	config.Wrap(record.wrap)
	config.QPS, config.Burst = 1000, 1000
	failed := 0
	for i, check := range checks {
		began := time.Now()
		err := run(config, record, fmt.Sprintf("check-%d", i), check.run)
		if err != nil {
			failed++
			fmt.Printf("FAIL %s: %v\n", check.name, err)
			continue
		}
		fmt.Printf("ok   %s (%v)\n", check.name, time.Since(began).Round(time.Millisecond))
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func run(config *rest.Config, record *wire, namespace string, check func(context.Context, *world) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	inProtobuf := rest.CopyConfig(config)
	// No second choice: an answer in JSON is a failure.
	inProtobuf.ContentType, inProtobuf.AcceptContentTypes = protobuf, protobuf
	client, err := kubernetes.NewForConfig(inProtobuf)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	record.forget()
	return check(ctx, &world{config: config, client: client, namespace: namespace, wire: record})
}

// Notes requests and the content types of their answers.
type wire struct {
	mutex sync.Mutex
	lines []string
}

type roundTripper func(*http.Request) (*http.Response, error)

func (trip roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	return trip(request)
}

func (w *wire) wrap(inner http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := inner.RoundTrip(request)
		if err == nil {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			w.lines = append(w.lines, request.Method+" "+request.URL.RequestURI()+" "+response.Header.Get("Content-Type"))
		}
		return response, err
	})
}

func (w *wire) forget() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.lines = nil
}

// How many of the requests have all of these in their line.
func (w *wire) count(parts ...string) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	count := 0
	for _, line := range w.lines {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(line, part)
		}
		if all {
			count++
		}
	}
	return count
}

func (w *wire) String() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return strings.Join(w.lines, "\n")
}

func expect(what string, got, want any) error {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Data: map[string]string{"name": name}}
}
