#include "cli/server/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "apiserver/access/tokens/jwt.h"
#include "apiserver/access/tokens/keys.h"
#include "apiserver/server.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/process/capacity.h"
#include "base/process/memory.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/backup/control.h"
#include "cli/backup/scratch.h"
#include "cli/command_line/build_info.h"
#include "cli/command_line/output.h"
#include "cli/command_line/step.h"
#include "cli/command_line/version_document.h"
#include "cli/credentials/certificates.h"
#include "cli/credentials/kubeconfig.h"
#include "cli/credentials/renewal.h"
#include "cli/credentials/service_account_key.h"
#include "cli/credentials/start_hint.h"
#include "cli/host/candidate.h"
#include "cli/host/confine.h"
#include "cli/host/instance_lock.h"
#include "cli/host/notify.h"
#include "cli/host/rights.h"
#include "cli/host/signals.h"
#include "cli/node/join/join_objects.h"
#include "cli/node/node_flags.h"
#include "cli/node/server_node.h"
#include "cli/scheduler/explain_path.h"
#include "cli/scheduler/scheduler_flags.h"
#include "cli/scheduler/server_scheduler.h"
#include "cli/server/configz.h"
#include "cli/server/controllers.h"
#include "cli/server/flags/access_flags.h"
#include "cli/server/flags/audit_flags.h"
#include "cli/server/flags/controller_flags.h"
#include "cli/server/flags/debug_flags.h"
#include "cli/server/flags/encryption_flags.h"
#include "cli/server/flags/kubelet_flags.h"
#include "cli/server/flags/server_options.h"
#include "cli/server/flags/start_summary.h"
#include "cli/server/flags/store_flags.h"
#include "cli/server/front_proxy.h"
#include "cli/server/health_checks.h"
#include "cli/server/open_store.h"
#include "cli/server/store_events.h"
#include "controllers/controllers.h"
#include "http/server/certificate_files.h"
#include "http/server/server.h"
#include "json/print.h"

namespace proa::cli {
namespace run {

const Log kLog{"cli"};
// All work of the startup is done by then.
constexpr Duration kStartupSettleTime = std::chrono::seconds(1);

using Options = ServerOptions;

std::string milliseconds(Duration duration) {
  return fmt::format("{} ms",
                     std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

// The URL for clients on this machine.
std::string local_url(const http::Endpoint& where) {
  if (!is_unspecified_address(where.address)) return "https://" + where.str();
  return fmt::format("https://127.0.0.1:{}", where.port);
}

Result<std::string> write_kubeconfig(Files& files, const Options& options,
                                     const Certificates& certificates, const std::string& url) {
  constexpr size_t kMaxBytes = 1 << 20;
  std::string path = options.data_dir + "/admin.kubeconfig";
  const std::string wanted =
      make_kubeconfig({.server = url,
                       .authority_pem = certificates.authority_pem,
                       .client_certificate_pem = certificates.admin_certificate_pem,
                       .client_key_pem = certificates.admin_key_pem});
  const Result<std::string> found = files.read_file(path, kMaxBytes);
  if (found && *found == wanted) return path;
  const Result<void> written = files.write_file_atomic(path, wanted, 0600);
  // The server also starts on a full disk: objects can be read, and deleted.
  if (written.is(Reason::kInsufficientStorage)) {
    kLog.warn("writing the kubeconfig failed", {{"file", path}, {"error", written.status()}});
  } else if (!written) {
    return written.status();
  }
  return path;
}

// The CA that clients trust also signs client certificates.
Result<controllers::ControllerOptions> controller_options(const Options& options,
                                                          const Certificates& certificates,
                                                          const std::string& token_key_pem,
                                                          Files& files) {
  constexpr size_t kMaxBytes = 64 * 1024;
  controllers::ControllerOptions wanted;
  wanted.root_authority_pem = certificates.authority_pem;
  wanted.signing_certificate_pem = certificates.authority_pem;
  wanted.server_names = certificate_names(options);
  wanted.service_cidr = options.service_cidr;
  wanted.signing_key_pem = TRY(files.read_file(options.data_dir + "/tls/authority.key", kMaxBytes));
  const std::shared_ptr<const apiserver::TokenKey> token_key =
      TRY(apiserver::TokenKey::read(token_key_pem));
  wanted.sign_token = [token_key](const json::Value& claims) {
    return apiserver::sign_jwt(claims, *token_key);
  };
  return wanted;
}

std::string_view wait_for_signal(StopSignals& signals) {
  const std::optional<std::string_view> early = signals.wait_for(kStartupSettleTime);
  if (early) return *early;
  release_unused_memory();
  return signals.wait();
}

// Components that run besides the API and use it.
struct Components {
  ServerControllers& controllers;
  ServerScheduler* scheduler;  // null: another process schedules
  ServerNode* node;            // null: no local node

  void start() const {
    controllers.start();
    if (scheduler != nullptr) scheduler->start();
  }
  void stop() const {
    if (node != nullptr) node->stop();
    if (scheduler != nullptr) scheduler->stop();
    controllers.stop();
  }
};

std::string_view first_steps(const Components& components) {
  return components.node == nullptr ? "get namespaces" : "run hello --image proa/hello:1";
}

// The parts of a server, for starting and stopping it.
struct Parts {
  const Options& options;
  const Certificates& certificates;
  const std::string& client_authorities_pem;
  Files& files;
  Clock& clock;
  Random& random;
  http::LoopGroup& loops;
  apiserver::ApiServer& api;
  const Components& components;
  StoreEvents& store_events;
  StopSignals& signals;
  Terminal& terminal;
};

std::unique_ptr<client::Client> admin_of(const Parts& parts) {
  return parts.api.client({.name = "kubernetes-admin",
                           .uid = {},
                           .groups = {"system:masters", "system:authenticated"},
                           .extra = {}});
}

// Optional: without it only joining with tokens fails.
void create_join_objects(const Parts& parts, int port) {
  const auto admin = admin_of(parts);
  const http::Endpoint endpoint{.address = parts.options.advertised, .port = port};
  const std::string url = "https://" + endpoint.str();
  const Result<void> made =
      ensure_join_objects({*admin, parts.clock}, url, parts.certificates.authority_pem);
  if (!made.ok())
    kLog.warn("creating join objects failed; nodes cannot join with tokens",
              {{"error", made.status()}});
}

// Runs everything but the API until a signal arrives; returns its name.
Result<std::string_view> run_components(const Parts& parts, const std::string& url, int port,
                                        const std::string& kubeconfig, Steady begin) {
  const Components& components = parts.components;
  components.start();
  const http::Endpoint advertised{.address = parts.options.advertised, .port = port};
  print_step(
      parts.terminal, "https",
      https_text(url, is_unspecified_address(parts.options.address) ? "https://" + advertised.str()
                                                                    : url));
  print_step(parts.terminal, "kubeconfig", kubeconfig);
  parts.api.set_ready(true);
  if (components.node != nullptr) {
    create_join_objects(parts, port);
    const auto early = TRY(components.node->start(parts.api, parts.loops, parts.random,
                                                  parts.certificates.authority_pem, parts.signals,
                                                  parts.terminal));
    if (early) return *early;
    const Result<void> labelled = components.node->label_as_control_plane(*admin_of(parts));
    if (!labelled.ok())
      kLog.warn("labelling the node as control plane failed", {{"error", labelled.status()}});
  }
  notify_own_service_manager("READY=1");
  parts.terminal.out(
      fmt::format("Ready after {}. Try: kubectl --kubeconfig {} {}\n"
                  "Ctrl-C or SIGTERM stops it{}.\n",
                  milliseconds(parts.clock.steady() - begin), kubeconfig, first_steps(components),
                  components.node == nullptr ? "" : "; pods keep running"));
  // Nodes may join a server without one, too; it need not wait for that.
  if (components.node == nullptr) create_join_objects(parts, port);
  return wait_for_signal(parts.signals);
}

void use_clients(apiserver::ApiServer& api, const Certificates& certificates) {
  const Result<void> used = api.set_kubelet_client(
      {certificates.kubelet_client_certificate_pem, certificates.kubelet_client_key_pem});
  if (!used) kLog.error("loading the renewed certificate failed", {{"error", used.status()}});
  const Result<void> proxy_used = api.set_proxy_client(proxy_client_of(certificates));
  if (!proxy_used) {
    kLog.error("loading the renewed certificate failed", {{"error", proxy_used.status()}});
  }
}

// Serves until a signal arrives.
Result<void> serve(const Parts& parts, Steady begin) {
  const Options& options = parts.options;
  const Certificates& certificates = parts.certificates;
  const auto tls = TRY(http::CertificateFiles::open(
      parts.loops.at(0), parts.files, {certificates.server_certificate, certificates.server_key},
      http::TlsOptions{.request_client_certificate = true,
                       .client_authorities_pem = parts.client_authorities_pem}));
  http::ServerLimits limits = http::limits_for(process_capacity());
  limits.drain_timeout = options.drain_timeout;
  http::Server server(parts.loops, parts.api.handler(), limits);
  const auto where = server.listen(
      {.address = options.address, .port = options.port, .unix_path = {}, .both_families = true},
      &tls->source());
  if (!where.ok()) {
    return Status(where.status().reason(),
                  where.status().message() + (where.is(Reason::kAlreadyExists)
                                                  ? "; stop the other process or change --listen"
                                                  : "; change --listen"));
  }
  const std::string url = local_url(*where);
  const std::string kubeconfig = TRY(write_kubeconfig(parts.files, options, certificates, url));
  const ServerNode* node = parts.components.node;
  Renewal renewal(
      parts.files, parts.clock,
      {.directory = options.data_dir + "/tls",
       .names = certificate_names(options),
       .kubeconfig = kubeconfig,
       .server = url,
       .node_name = node == nullptr ? api::NodeName() : node->name(),
       .node_names = node == nullptr ? std::vector<std::string>() : node->names(),
       .clients_renewed = [&](const Certificates& now) { use_clients(parts.api, now); }});
  renewal.start();
  add_health_checks(parts.api.health(), {.controllers = &parts.components.controllers,
                                         .scheduler = parts.components.scheduler,
                                         .node = node,
                                         .certificates = &renewal});
  parts.store_events.start(parts.api, node == nullptr ? "" : node->name().str());
  const auto signal = run_components(parts, url, where->port, kubeconfig, begin);
  parts.signals.release();
  // While the API responds: preStop handlers may use it.
  if (parts.components.node != nullptr) {
    if (const auto grace = parts.signals.pods_grace()) {
      parts.components.node->stop_pods(*grace, parts.terminal);
    }
  }
  parts.api.set_ready(false);
  notify_own_service_manager("STOPPING=1");
  if (signal.ok()) {
    parts.terminal.out(
        fmt::format("{}: draining, at most {}\n", *signal, format_duration(options.drain_timeout)));
  }
  parts.components.stop();
  parts.store_events.stop();
  server.drain();
  if (!signal.ok()) return signal.status();
  return {};
}

Result<void> make_data_dir(Files& files, const std::string& path) {
  if (const auto made = files.make_dirs(path, 0700); !made.ok()) {
    return Status(made.status().reason(),
                  made.status().message() +
                      (geteuid() == 0 ? "; change --data-dir" : "; use sudo or --data-dir"));
  }
  return require_private(path);
}

void greet(const Options& options, const Settings& settings, const AuditSettings& audit,
           Files& files, Terminal& terminal) {
  terminal.out(
      fmt::format("Proa {}, Kubernetes {}\n", build_info().version, build_info().kubernetes));
  terminal.error(service_range_warning(options, own_routes(files), settings.text("cluster-cidr")));
  for (const SummaryLine& line : start_summary(settings, audit.options.has_value())) {
    print_step(terminal, line.what, line.text);
  }
  for (const std::string& warning : audit.warnings) {
    kLog.warn("the audit configuration may not do what is wanted", {{"problem", warning}});
  }
}

auto open_control(const std::string& data_dir, store::Store& store, Random& random) {
  auto control = ControlSocket::open(data_dir, store, random);
  if (!control.ok()) {
    kLog.warn("opening the control socket failed; backups are unavailable while the server runs",
              {{"error", control.status()}});
  }
  return control;
}

// What the API server is told of the settings.
struct ApiSettings {
  const Options& options;
  const Settings& settings;
  const Certificates& certificates;
  const std::string& token_key;
  const KubeletTlsOptions& kubelet_tls;
  bool with_node;
  const apiserver::WebhookContext& webhooks;
  http::LoopGroup& loops;
};

apiserver::ApiServerOptions api_options(const ApiSettings& from) {
  const Options& options = from.options;
  const Certificates& certificates = from.certificates;
  return {.access = {},
          .webhooks = &from.webhooks,
          .loops = &from.loops,
          .version_document = json::print_pretty(version_document().root()),
          .advertise_address = options.advertised,
          .advertise_port = options.port,
          .service_cidr = options.service_cidr,
          .node_port_range = options.node_port_range,
          .root_authority_pem = certificates.authority_pem,
          .service_account_key_pem = from.token_key,
          .kubelets = {.certificate_pem = certificates.kubelet_client_certificate_pem,
                       .key_pem = certificates.kubelet_client_key_pem,
                       .authority_pem =
                           certificates.authority_pem + from.kubelet_tls.more_authorities_pem,
                       .tls = from.kubelet_tls.tls,
                       .egress = read_pod_egress(from.settings, from.with_node)},
          .proxy_client = proxy_client_of(certificates),
          .in_flight = options.in_flight,
          .fairness = options.fairness,
          .max_object_bytes = options.max_object_bytes,
          .profiling = from.settings.on("profiling"),
          .flags = from.settings.all()};
}

// REQUIRES: the API server outlives the controllers.
void let_controllers_ask(apiserver::ApiServer& api, controllers::ControllerOptions& options) {
  options.probe_api_service = [&api](std::string_view name) { return api.probe_api_service(name); };
  options.call_extension = [&api](const auto& call) {
    return api.call_extension({.api_service = call.api_service,
                               .method = call.method,
                               .path = call.path,
                               .user = controller_user("namespace-controller")});
  };
}

Result<void> check_rights(ServerRole role) {
  if (role != ServerRole::kCluster) return {};
  return require_root("running containers",
                      "try sudo, or `proa server` for an API server without a node");
}

void print_certificate(const Certificates& certificates, Terminal& terminal) {
  print_step(
      terminal, "certificate",
      (certificates.created ? "created, signed by " : "signed by ") + certificates.authority);
}

// A shared store does not tell its servers apart.
client::Candidate candidate_of(const store::Store& store, Random& random) {
  return store.is_shared() ? unique_candidate(random) : candidate_of_store(store.id());
}

Result<void> run(const Invocation& invocation, Terminal& terminal, ServerRole role) {
  const Settings& settings = invocation.settings;
  const Options options = TRY(read_server_options(settings, role));
  const bool with_node = role == ServerRole::kCluster;
  SystemFiles files;
  apiserver::AccessOptions access = TRY(read_access_options(settings, files));
  access.pod_ranges = pod_ranges_of(settings, with_node);
  AuditSettings audit = TRY(read_audit_options(settings, files));
  const scheduler::SchedulerConfig for_scheduler = TRY(read_scheduler_config(settings, files));
  std::optional<apiserver::tracing::Options> tracing = TRY(read_tracing(settings, files));
  const KubeletTlsOptions kubelet_tls = TRY(read_kubelet_tls(settings, files));
  std::optional<store::EtcdOptions> etcd = TRY(read_store_options(settings, files));
  SystemClock clock;
  TRY(check_rights(role));
  raise_descriptor_limit();
  // Before the first thread. A node needs all of it: containers get their rights from this process.
  if (!with_node) TRY(confine_server());
  release_memory_continuously(process_capacity().memory);
  StopSignals signals;
  SystemRandom random;
  const Steady begin = clock.steady();
  run::greet(options, settings, audit, files, terminal);
  TRY(run::make_data_dir(files, options.data_dir));
  // Before anything is written: a server that runs from this directory keeps its files.
  const InstanceLock lock = TRY(InstanceLock::take(lock_path(options.data_dir)));
  std::unique_ptr<ServerNode> node;
  if (with_node) node = TRY(ServerNode::make(settings, files, clock, gives_pod_ranges(settings)));
  if (!options.new_authority) TRY(refuse_lost_authority(files, options.data_dir));
  print_step(terminal, "data", options.data_dir);
  const Certificates certificates =
      TRY(ensure_certificates(files, clock, options.data_dir + "/tls", certificate_names(options)));
  print_certificate(certificates, terminal);
  access.authentication.client_authorities_pem = certificates.authority_pem;
  trust_own_proxy(access.authentication, certificates);
  const std::string client_authorities = client_authorities_of(access.authentication);
  const std::string token_key = TRY(ensure_service_account_key(files, options.data_dir + "/tls"));
  StoreEvents store_events(clock);
  const auto encryption = TRY(open_encryption(settings, files, clock, random, terminal));
  EtcdMetrics etcd_metrics;
  const auto store = TRY(open_store(
      {clock, random, options.data_dir, std::move(etcd), store_events, etcd_metrics, *encryption},
      terminal));
  const auto following = TRY(encryption->follow(*store));
  TRY(remove_scratch(files, options.data_dir));
  const auto control = run::open_control(options.data_dir, *store, random);
  http::LoopGroup loops(std::max(1u, std::thread::hardware_concurrency()));
  const apiserver::WebhookContext others{loops, clock, files, random};
  apiserver::ApiServerOptions for_api = run::api_options(
      {options, settings, certificates, token_key, kubelet_tls, with_node, others, loops});
  for_api.access = std::move(access);
  for_api.audit = std::move(audit.options);
  for_api.tracing = std::move(tracing);
  const auto api = TRY(apiserver::ApiServer::start(*store, clock, random, for_api));
  controllers::ControllerOptions for_controllers =
      TRY(run::controller_options(options, certificates, token_key, files));
  run::let_controllers_ask(*api, for_controllers);
  TRY(read_controller_options(settings, for_controllers));
  const client::Candidate candidate = candidate_of(*store, random);
  ServerControllers controllers(
      *api, clock, random,
      TRY(choose_controllers(controllers::all_controllers(), settings.text("controllers"))),
      std::move(for_controllers), candidate);
  // Created even if it does not run, so that configuration errors are reported at startup.
  const auto scheduler = TRY(ServerScheduler::make(*api, clock, random, for_scheduler, candidate));
  api->add_path(explain_path(*api, clock, random, for_scheduler));
  api->add_path(TRY(configz_path(settings, scheduler->config())));
  add_encryption(*api, *encryption);
  if (store->is_shared()) api->add_metrics([&etcd_metrics] { return etcd_metrics.text(); });
  const run::Components components{
      controllers, settings.on("scheduler") ? scheduler.get() : nullptr, node.get()};
  TRY(run::serve({options, certificates, client_authorities, files, clock, random, loops, *api,
                  components, store_events, signals, terminal},
                 begin));
  terminal.out("Stopped.\n");
  return {};
}

}  // namespace run

Result<void> run_server(const Invocation& invocation, Terminal& terminal) {
  return run::run(invocation, terminal, ServerRole::kServer);
}

Result<void> run_cluster(const Invocation& invocation, Terminal& terminal) {
  return run::run(invocation, terminal, ServerRole::kCluster);
}

}  // namespace proa::cli
