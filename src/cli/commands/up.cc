#include "cli/commands/up.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/random.h"
#include "cli/build_info.h"
#include "cli/up/certificates.h"
#include "cli/up/health.h"
#include "cli/up/notify.h"
#include "http/server/certificate_files.h"
#include "http/server/server.h"
#include "store/rocks/rocks_store.h"

namespace proa::cli {
namespace up {

const Log kLog{"cli"};

std::string default_data_dir() {
  if (geteuid() == 0) return "/var/lib/proa";
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "." : home) + "/.local/share/proa";
}

// SIGTERM and SIGINT, held back from all threads that start after this and taken one by one.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    // A peer that went away is an error of that write, not the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
  }
  // The name of the signal that came.
  std::string_view wait() {
    int signal = 0;
    while (sigwait(&signals_, &signal) != 0) {
    }
    return signal == SIGINT ? "SIGINT" : "SIGTERM";
  }
  // From now on a signal ends the process at once.
  void release() { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

 private:
  sigset_t signals_;
};

struct Options {
  std::string data_dir;
  std::string bind_address;
  int port = 0;
  Duration drain_timeout{};
};

Options read_options(const Settings& settings) {
  return {.data_dir = settings.text("data-dir"),
          .bind_address = settings.text("bind-address"),
          .port = static_cast<int>(settings.number("port")),
          .drain_timeout = settings.duration("drain-timeout")};
}

std::vector<std::string> certificate_names(const Options& options) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  const bool any = options.bind_address == "0.0.0.0" || options.bind_address == "::";
  if (!any && options.bind_address != "127.0.0.1" && options.bind_address != "::1")
    names.push_back(options.bind_address);
  char host[256];
  if (gethostname(host, sizeof host) == 0) {
    host[sizeof host - 1] = '\0';
    names.emplace_back(host);
  }
  return names;
}

std::string milliseconds(Duration duration) {
  return fmt::format("{} ms",
                     std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

void say(Terminal& terminal, std::string_view what, std::string_view text) {
  terminal.out(fmt::format("  {:<14} {}\n", what, text));
}

void notify(std::string_view state) {
  const Result<void> told =
      notify_service_manager([](const char* name) { return std::getenv(name); }, state);
  if (!told.ok()) kLog.warn("service manager not told", {{"error", told.status()}});
}

Result<ServingCertificate> prepare_certificate(Files& files, const Clock& clock,
                                               const Options& options, Terminal& terminal) {
  const std::vector<std::string> names = certificate_names(options);
  ServingCertificate certificate =
      TRY(ensure_serving_certificate(files, clock, options.data_dir + "/tls", names));
  say(terminal, "certificate",
      (certificate.created ? "made now, signed by " : "signed by ") + certificate.authority);
  return certificate;
}

Result<std::unique_ptr<store::Store>> open_store(Clock& clock, Random& random,
                                                 const Options& options, Terminal& terminal) {
  const Steady begin = clock.steady();
  auto store = TRY(store::open_rocks_store(options.data_dir + "/store", clock, random));
  const store::StoreStats stats = store->stats();
  say(terminal, "store",
      fmt::format("revision {}, {} keys, opened in {}", stats.revision.value, stats.keys,
                  milliseconds(clock.steady() - begin)));
  return store;
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Options options = read_options(invocation.settings);
  StopSignals signals;
  SystemClock clock;
  SystemFiles files;
  SystemRandom random;
  terminal.out(
      fmt::format("Proa {}: the ground floor. It keeps a store and answers health checks; the "
                  "Kubernetes API is not there yet.\n",
                  build_info().version));
  TRY(files.make_dirs(options.data_dir, 0700));
  say(terminal, "data", options.data_dir);
  const ServingCertificate certificate = TRY(prepare_certificate(files, clock, options, terminal));
  const auto store = TRY(open_store(clock, random, options, terminal));

  HealthHandler handler;
  http::LoopGroup loops(std::max(1u, std::thread::hardware_concurrency()));
  const auto tls = TRY(http::CertificateFiles::open(
      loops.at(0), files, {certificate.certificate, certificate.private_key}, http::TlsOptions{}));
  http::ServerLimits limits;
  limits.drain_timeout = options.drain_timeout;
  http::Server server(loops, handler, limits);
  const auto where =
      server.listen({.address = options.bind_address, .port = options.port}, &tls->source());
  if (!where.ok()) {
    return where.status().in(fmt::format("listening on {}:{} (--bind-address, --port)",
                                         options.bind_address, options.port));
  }
  const std::string url = "https://" + where->str();
  say(terminal, "https", url + "  (/livez /readyz /healthz /version)");
  handler.set_ready(true);
  notify("READY=1");
  terminal.out("Ready. Try: curl --cacert " + certificate.authority + " " + url +
               "/version\nCtrl-C or SIGTERM stops it.\n");

  const std::string_view signal = signals.wait();
  signals.release();
  handler.set_ready(false);
  notify("STOPPING=1");
  terminal.out(
      fmt::format("{}: draining, at most {}\n", signal, format_duration(options.drain_timeout)));
  server.drain();
  terminal.out("Stopped.\n");
  return {};
}

}  // namespace up

Command up_command() {
  return {.name = "up",
          .summary = "Start Proa on this machine, in the foreground.",
          .description =
              "So far: an HTTPS server with health endpoints, and the store. State lies in the "
              "data directory alone.",
          .flags = {{.name = "data-dir",
                     .kind = ValueKind::kFolder,
                     .word = "DIR",
                     .fallback = up::default_data_dir(),
                     .summary = "where all state lies"},
                    {.name = "bind-address",
                     .word = "ADDRESS",
                     .fallback = "127.0.0.1",
                     .summary = "the address to listen on"},
                    {.name = "port",
                     .kind = ValueKind::kPort,
                     .word = "PORT",
                     .fallback = "6443",
                     .summary = "the port to listen on; 0 takes a free one"},
                    {.name = "drain-timeout",
                     .kind = ValueKind::kDuration,
                     .word = "TIME",
                     .fallback = "10s",
                     .summary = "how long requests may take to finish when stopping"}},
          .run = up::run};
}

}  // namespace proa::cli
