// The three programs of cert-manager as one: controller, cainjector, webhook. Upstream's own main packages are modules
// of their own that the module proxy does not have, so this one starts the same controllers and servers, which are
// in cert-manager's main module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	logf "github.com/cert-manager/cert-manager/pkg/logs"
)

type options struct {
	kubeconfig  string
	namespace   string
	metrics     string
	webhookPort int
	healthzPort int
}

func main() {
	programs := map[string]func(context.Context, options) error{
		"controller": runController, "cainjector": runInjector, "webhook": runWebhook}
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: cert-manager controller|cainjector|webhook [flags]")
		os.Exit(2)
	}
	var given options
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	flags.StringVar(&given.kubeconfig, "kubeconfig", "", "kubeconfig of the API server")
	flags.StringVar(&given.namespace, "namespace", "cert-manager", "namespace of cert-manager's own objects")
	flags.StringVar(&given.metrics, "metrics", "127.0.0.1:0", "address of metrics")
	flags.IntVar(&given.webhookPort, "port", 0, "port of the webhook")
	flags.IntVar(&given.healthzPort, "healthz-port", 0, "port of the webhook's health checks")
	_ = flags.Parse(os.Args[2:])

	logf.InitLogs()
	defer logf.FlushLogs()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	ctx = logf.NewContext(ctx, logf.Log, os.Args[1])
	if err := programs[os.Args[1]](ctx, given); err != nil && ctx.Err() == nil {
		logf.Log.Error(err, "the program failed")
		os.Exit(1)
	}
}
