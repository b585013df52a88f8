#include "kubelet/kubelet.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "client/informer/informer.h"
#include "client/informer/runner.h"
#include "http/server/server.h"
#include "kubelet/host/machine.h"
#include "kubelet/model/reference.h"
#include "kubelet/node/server/log_files.h"
#include "kubelet/node/server/node_server.h"
#include "kubelet/pod/container/runtime_handler.h"
#include "kubelet/pod/objects/referenced_objects.h"
#include "kubelet/pod/volumes/content/token_request.h"
#include "kubelet/runtime/cri/cri_runtime.h"
#include "kubelet/runtime/cri/runtime_events.h"
#include "kubelet/workers/housekeeper.h"
#include "kubelet/workers/pod_worker.h"
#include "kubelet/workers/static_pods/manifest_folder.h"
#include "kubelet/workers/static_pods/mirror_keeper.h"

namespace proa::kubelet {
namespace kubelet {

const Log kLog{"kubelet"};
// Pods that are worked on at once. The runtime and the disk are what takes time.
constexpr size_t kMostAtOnce = 16;
// Containers that are being stopped, and handlers that run, at once.
constexpr size_t kMostWaiting = 2048;
// What failed is tried again soon, and often enough: nobody tells when a folder is there at last.
constexpr client::Backoff kBackoff{.first = std::chrono::milliseconds(100),
                                   .most = std::chrono::seconds(15)};
// At the start: how often it is asked whether the node is ready.
constexpr Duration kLookAgain = std::chrono::milliseconds(10);

const api::Resource& core(const api::Schema& schema, std::string_view name) {
  const api::Resource* found = schema.find_resource("", "v1", name);
  CHECK(found != nullptr);
  return *found;
}

// Whether the Node says that it is ready.
bool is_ready(const api::ObjectPtr& node) {
  const Result<json::Document> document =
      node == nullptr ? Result<json::Document>(json::Document()) : node->document();
  if (!document.ok()) return false;
  for (const api::View condition : api::View(document->root())["status"]["conditions"].items()) {
    if (condition["type"].text() == "Ready") return condition["status"].text() == "True";
  }
  return false;
}

// Whether there is something to do after such a change. Statuses are what we write ourselves; of
// what others write there, conditions count for some pods, and an end for all.
bool is_work(const Pod& before, const Pod& after) {
  for (const std::string_view part :
       {"labels", "annotations", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (!(before.metadata()[part] == after.metadata()[part])) return true;
  }
  return !(before.spec() == after.spec()) || after.spec()["readinessGates"].exists() ||
         before.is_finished() != after.is_finished();
}

client::Key key_of(const std::string& name) { return {.name_space = {}, .name = name}; }

// The pods as the server of the node shows them.
class Directory final : public PodDirectory {
 public:
  Directory(const Registry& registry, const StatusWriter& statuses)
      : registry_(registry), statuses_(statuses) {}

  PodPtr find(std::string_view name_space, std::string_view name) const override {
    return registry_.find(name_space, name);
  }
  std::vector<PodPtr> all() const override { return registry_.pods(); }
  std::shared_ptr<const json::Document> status(const Pod& pod) const override {
    return statuses_.last(pod.uid());
  }

 private:
  const Registry& registry_;
  const StatusWriter& statuses_;
};

// All parts of it, in the order in which they need each other.
class Agent final : public Kubelet {
 public:
  Agent(Context context, std::unique_ptr<Cgroups> cgroups, MachineFacts machine);
  ~Agent() override { stop(); }

  Result<void> set_up();
  Result<void> serve();
  void start() override;
  void stop() override;
  bool wait_ready(const Until& until) override;

 private:
  using Looker = std::function<void(const std::string& uid)>;
  Looker looker() {
    return [this](const std::string& uid) { queue_.add(key_of(uid)); };
  }
  Stopper::Ended looker_after() {
    return [this](const std::string& uid, Duration wait) { queue_.add_after(key_of(uid), wait); };
  }
  void look_at_mirror(const std::string& full_name) { mirror_queue_.add(key_of(full_name)); }
  void look_at_all();

  void pod_changed(const client::Change& change);
  void pod_came(const PodPtr& pod);
  void pod_went(const PodPtr& pod);
  void manifests_changed(std::vector<PodPtr> pods);
  std::vector<api::ObjectPtr> services_for(std::string_view name_space) const;
  PodPtr static_pod(const std::string& full_name) const;
  std::string own_address() const;

  const Context context_;
  const Paths paths_{context_.options.root, context_.options.logs};
  const std::unique_ptr<cri::Runtime> runtime_;
  const std::unique_ptr<Cgroups> cgroups_;
  // Before all that it polls, although those must be there while it does: whoever adds to a queue
  // wakes it, down to the last of the threads below.
  Poller poller_;
  // For those who wait as long as a container takes: however many there are, the others go on.
  WorkerPool waiting_{{.max_threads = kMostWaiting}};
  client::WorkQueue queue_;
  client::WorkQueue mirror_queue_;
  client::EventRecorder events_;
  const std::unique_ptr<NodeAgent> node_;
  ReferencedObjects objects_;
  const std::unique_ptr<Volumes> volumes_;
  Registry registry_;
  Allocations allocations_;
  ProbeResults probes_;
  Hooks hooks_;
  const std::unique_ptr<Prober> prober_;
  const std::unique_ptr<ImagePuller> images_;
  PostStarts post_starts_;
  Stopper stopper_;
  const std::unique_ptr<StatusWriter> statuses_;
  const Parts parts_;
  std::stop_source stop_;
  PodWorker worker_;
  client::Runner runner_;
  MirrorKeeper mirrors_;
  client::Runner mirror_runner_;
  Housekeeper housekeeper_;
  client::Informer pods_;
  client::Informer services_;
  std::unique_ptr<ManifestFolder> manifests_;
  std::unique_ptr<cri::RuntimeEvents> runtime_events_;
  const Directory directory_;
  std::unique_ptr<NodeServer> handler_;
  std::unique_ptr<http::Server> server_;
  bool started_ = false;
};

Agent::Agent(Context context, std::unique_ptr<Cgroups> cgroups, MachineFacts machine)
    : context_(std::move(context)),
      runtime_(cri::connect_runtime(context_.http, context_.options.runtime_socket)),
      cgroups_(std::move(cgroups)),
      poller_(context_.clock),
      queue_(context_.clock, context_.random, {.backoff = kBackoff, .max_running = kMostAtOnce}),
      mirror_queue_(context_.clock, context_.random, {.backoff = kBackoff, .max_running = 1}),
      events_(context_.client, context_.clock, context_.pool, core(context_.schema, "events"),
              {.component = "kubelet", .host = context_.options.node_name}),
      node_(make_node_agent({.client = context_.client,
                             .schema = context_.schema,
                             .clock = context_.clock,
                             .random = context_.random,
                             .files = context_.files,
                             .runtime = *runtime_,
                             .events = events_,
                             .options = context_.options,
                             .version = context_.version,
                             .opened = [this] { look_at_all(); }})),
      objects_(context_.client, context_.schema, context_.clock, context_.random,
               [this](const std::vector<std::string>& uids) {
                 for (const std::string& uid : uids) queue_.add(key_of(uid));
               }),
      volumes_(
          make_volumes({.clock = context_.clock,
                        .files = context_.files,
                        .objects = objects_,
                        .tokens =
                            [this](const Pod& pod, const std::string& audience, int64_t seconds) {
                              return request_token({context_.client, context_.clock},
                                                   context_.schema, pod, audience, seconds);
                            },
                        .paths = paths_,
                        .node = [this] { return node_->node(); },
                        .knows_recursive_read_only =
                            [this](const Pod& pod) {
                              const auto can = [this](const std::string& handler) {
                                return node_->mounts_recursively(handler);
                              };
                              return mounts_recursively(objects_, can, pod);
                            },
                        .stays_as_it_was =
                            [this](const Pod& pod, const std::string& message) {
                              events_.warning(reference_to(pod), "FailedMount", message);
                            }})),
      allocations_({.registry = registry_,
                    .clock = context_.clock,
                    .events = events_,
                    .node = [this] { return node_->node(); },
                    .all_known = [this] { return pods_.synced(); },
                    .look = looker()}),
      hooks_(*runtime_, events_, context_.clock),
      prober_(make_prober({.clock = context_.clock,
                           .random = context_.random,
                           .pool = context_.pool,
                           .runtime = *runtime_,
                           .client = context_.http,
                           .events = events_,
                           .results = probes_,
                           .changed = looker(),
                           .host_address = [this] { return own_address(); }})),
      images_(make_image_puller(
          {.clock = context_.clock,
           .random = context_.random,
           .pool = context_.pool,
           .runtime = *runtime_,
           .events = events_,
           .objects = objects_,
           .changed = looker(),
           .records = PullRecordFiles(context_.files, context_.options.root + "/image_manager")})),
      post_starts_(hooks_, waiting_, events_, looker()),
      stopper_(*runtime_, hooks_, context_.clock, waiting_, events_, looker_after()),
      statuses_(make_status_writer(
          {.client = context_.client,
           .pods = core(context_.schema, "pods"),
           .clock = context_.clock,
           .random = context_.random,
           .pool = context_.pool,
           .mirror_of =
               [this](const std::string& full_name) { return registry_.mirror(full_name); },
           .may_run = [this](const std::string& uid) { return registry_.may_run(uid); },
           .is_gone =
               [this](const std::string& uid) {
                 const Registry::Entry entry = registry_.get(uid);
                 return entry.pod == nullptr || entry.gone;
               }})),
      parts_{.clock = context_.clock,
             .files = context_.files,
             .options = context_.options,
             .paths = paths_,
             .machine = std::move(machine),
             .runtime = *runtime_,
             .registry = registry_,
             .allocations = allocations_,
             .volumes = *volumes_,
             .cgroups = *cgroups_,
             .images = *images_,
             .prober = *prober_,
             .probes = probes_,
             .post_starts = post_starts_,
             .stopper = stopper_,
             .statuses = *statuses_,
             .node = *node_,
             .events = events_,
             .objects = objects_,
             .services = [this](std::string_view name_space) { return services_for(name_space); },
             .services_known = [this] { return services_.synced(); },
             .look = looker(),
             .started = context_.clock.now()},
      worker_(parts_, stop_.get_token()),
      runner_("pods of this node", worker_, queue_, context_.pool),
      mirrors_({.client = {context_.client, context_.clock},
                .pods = core(context_.schema, "pods"),
                .static_pod = [this](const std::string& name) { return static_pod(name); },
                .mirror = [this](const std::string& name) { return registry_.mirror(name); },
                .node = [this] { return node_->node(); }}),
      mirror_runner_("mirror pods", mirrors_, mirror_queue_, context_.pool),
      housekeeper_(
          parts_, context_.pool, [this] { return pods_.synced(); }, context_.tidy_runtime),
      pods_(context_.client, context_.clock, context_.random,
            {.place = {.resource = &core(context_.schema, "pods")},
             .labels = {},
             .fields = "spec.nodeName=" + context_.options.node_name}),
      services_(context_.client, context_.clock, context_.random,
                {.place = {.resource = &core(context_.schema, "services")}}),
      directory_(registry_, *statuses_) {
  pods_.add_handler([this](const client::Change& change) { pod_changed(change); });
  poller_.add(pods_);
  poller_.add(services_);
  poller_.add(objects_);
  poller_.add(runner_);
  poller_.add(mirror_runner_);
  poller_.add(housekeeper_);
}

Result<void> Agent::set_up() {
  const KubeletOptions& options = context_.options;
  TRY(context_.files.make_dirs(paths_.pods(), 0750));
  TRY(context_.files.make_dirs(paths_.logs(), 0755));
  const Machine machine = read_machine(context_.files, "");
  const Result<void> bounded = cgroups_->set_up(machine.memory_bytes, machine.cpus * 1000);
  // Pods of before may use more than they may now.
  if (bounded.is(Reason::kConflict)) {
    kLog.warn("pods are not bounded together", {{"error", bounded.status()}});
  } else if (!bounded.ok()) {
    return bounded;
  }
  if (!options.manifests.empty()) {
    TRY(context_.files.make_dirs(options.manifests, 0700));
    manifests_ = TRY(follow_manifests(
        context_.loops.at(0), context_.files, options.manifests, options.node_name, context_.clock,
        [this](std::vector<PodPtr> pods) { manifests_changed(std::move(pods)); }));
  }
  return serve();
}

Result<void> Agent::serve() {
  if (context_.tls == nullptr) return {};
  handler_ = TRY(NodeServer::make(
      {.client = context_.client,
       .schema = context_.schema,
       .clock = context_.clock,
       .random = context_.random,
       .runtime = *runtime_,
       .http = context_.http,
       .pods = directory_,
       .options = context_.options,
       .open_log = open_log_files(context_.clock, context_.files, *runtime_, paths_),
       .client_authority_pem = context_.client_authority_pem}));
  server_ = std::make_unique<http::Server>(context_.loops, *handler_);
  const Result<http::Endpoint> where = server_->listen(
      {.address = context_.options.listen, .port = context_.options.port}, context_.tls);
  if (!where.ok()) {
    return where.status().in("serving on the port of the node, " +
                             std::to_string(context_.options.port));
  }
  return {};
}

void Agent::start() {
  if (started_) return;
  started_ = true;
  node_->start();
  runtime_events_ =
      cri::follow_runtime(context_.http, context_.loops.at(0), context_.options.runtime_socket,
                          {.changed =
                               [this](const std::string& id) {
                                 const std::string uid = registry_.owner(id);
                                 if (!uid.empty()) queue_.add(key_of(uid));
                               },
                           .resumed =
                               [this] {
                                 node_->look();
                                 housekeeper_.hurry();
                               }});
  runner_.start();
  mirror_runner_.start();
  poller_.start();
}

bool Agent::wait_ready(const Until& until) {
  Mutex mutex;
  CondVar never;
  MutexLock lock(mutex);
  while (!pods_.synced() || !is_ready(node_->node())) {
    const Steady now = context_.clock.steady();
    if (now >= until.deadline || until.stop.stop_requested()) return false;
    context_.clock.wait_until(never, mutex, std::min(now + kLookAgain, until.deadline));
  }
  return true;
}

void Agent::stop() {
  if (!started_) return;
  started_ = false;
  server_.reset();
  handler_.reset();
  runtime_events_.reset();
  manifests_.reset();
  poller_.stop();
  stop_.request_stop();
  stopper_.hurry();
  runner_.stop();
  mirror_runner_.stop();
  node_->stop();
}

void Agent::look_at_all() {
  for (const PodPtr& pod : registry_.pods()) {
    queue_.add(key_of(pod->uid()));
    if (pod->is_static()) look_at_mirror(pod->full_name());
  }
}

void Agent::pod_changed(const client::Change& change) {
  const bool replaced = change.before != nullptr && change.after != nullptr &&
                        change.before->metadata().uid != change.after->metadata().uid;
  if (change.before != nullptr && (change.after == nullptr || replaced)) {
    const Result<PodPtr> pod = Pod::read(change.before, Pod::Source::kApi);
    if (pod.ok()) pod_went(*pod);
  }
  if (change.after == nullptr) return;
  const Result<PodPtr> pod = Pod::read(change.after, Pod::Source::kApi);
  if (pod.ok()) {
    pod_came(*pod);
  } else {
    kLog.error("a pod can't be read", {{"pod", change.key.str()}, {"error", pod.status()}});
  }
}

void Agent::pod_came(const PodPtr& pod) {
  if (pod->is_mirror()) {
    registry_.put_mirror(pod);
    statuses_->seen(pod);
    look_at_mirror(pod->full_name());
    return;
  }
  const PodPtr before = registry_.get(pod->uid()).pod;
  registry_.put(pod);
  objects_.hold(pod);
  statuses_->seen(pod);
  if (before == nullptr || is_work(*before, *pod)) queue_.add(key_of(pod->uid()));
}

void Agent::pod_went(const PodPtr& pod) {
  if (pod->is_mirror()) {
    registry_.drop_mirror(*pod);
    look_at_mirror(pod->full_name());
    return;
  }
  registry_.drop(pod);
  objects_.release(pod->uid());
  queue_.add(key_of(pod->uid()));
}

// On a loop's thread.
void Agent::manifests_changed(std::vector<PodPtr> pods) {
  std::set<std::string> names;
  for (const PodPtr& before : registry_.pods()) {
    if (!before->is_static()) continue;
    const bool stays = std::any_of(pods.begin(), pods.end(), [&before](const PodPtr& pod) {
      return pod->uid() == before->uid();
    });
    if (stays) continue;
    registry_.drop(before);
    queue_.add(key_of(before->uid()));
    names.insert(before->full_name());
  }
  for (const PodPtr& pod : pods) {
    registry_.put(pod);
    queue_.add(key_of(pod->uid()));
    names.insert(pod->full_name());
  }
  for (const std::string& name : names) look_at_mirror(name);
}

std::string Agent::own_address() const {
  const PodFacts facts = node_->facts();
  return facts.host_addresses.empty() ? std::string() : facts.host_addresses.front();
}

PodPtr Agent::static_pod(const std::string& full_name) const {
  for (const PodPtr& pod : registry_.pods()) {
    if (pod->is_static() && pod->full_name() == full_name) return pod;
  }
  return nullptr;
}

std::vector<api::ObjectPtr> Agent::services_for(std::string_view name_space) const {
  std::vector<api::ObjectPtr> found = services_.cache().list(name_space);
  if (name_space != "default") {
    const api::ObjectPtr master = services_.cache().get({"default", "kubernetes"});
    if (master != nullptr) found.push_back(master);
  }
  return found;
}

}  // namespace kubelet

Result<std::unique_ptr<Kubelet>> Kubelet::make(Context context) {
  std::unique_ptr<Cgroups> cgroups = TRY(open_cgroups(context.files, context.options));
  MachineFacts machine = TRY(read_machine_facts(context.files, cgroups->is_v2()));
  auto agent =
      std::make_unique<kubelet::Agent>(std::move(context), std::move(cgroups), std::move(machine));
  TRY(agent->set_up());
  return std::unique_ptr<Kubelet>(std::move(agent));
}

}  // namespace proa::kubelet
