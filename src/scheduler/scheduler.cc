#include "scheduler/scheduler.h"

#include "base/log.h"
#include "base/strings.h"
#include "json/parse.h"
#include "scheduler/cycle/fit_report.h"

namespace proa::scheduler {
namespace scheduling {

const Log kLog{"scheduler"};

// Concurrent bindings: enough to share a commit, few enough to cost little memory.
constexpr size_t kBindingsAtOnce = 32;
// Pods that are scheduled before informer events are processed again.
constexpr size_t kPodsPerPoll = 64;
// How often the scheduler checks whether its caches are filled.
constexpr Duration kSyncPollInterval = std::chrono::milliseconds(1);
// The maximum length of an Event's note (upstream's NoteLengthLimit).
constexpr size_t kLongestNote = 1024;
// The timeout of a binding, without the time that Permit plugins wait.
constexpr Duration kBindTimeout = std::chrono::minutes(20);

client::ObjectReference reference_to(const Pod& pod) {
  return client::ObjectReference::to(*pod.object);
}

std::string shortened(std::string_view message) {
  if (message.size() <= kLongestNote) return std::string(message);
  constexpr std::string_view kMore = " ...";
  return std::string(message.substr(0, kLongestNote - kMore.size())).append(kMore);
}

// `running Bind plugin "DefaultBinder": `: the prefix of a plugin's error, as upstream writes it.
std::string running(std::string_view point, const Plugin& plugin) {
  return "running " + std::string(point) + " plugin \"" + std::string(plugin.name()) + "\": ";
}

Status wrapped(std::string_view point, const Plugin& plugin, const Status& status) {
  return {status.reason(), running(point, plugin) + status.message()};
}

std::string failure_of(const Diagnosis::Rejection& error, bool in_pre_filter) {
  const std::string why =
      error.verdict.reasons == nullptr ? std::string() : join(*error.verdict.reasons, ", ");
  if (in_pre_filter) return running("PreFilter", *error.plugin) + why;
  return "running \"" + std::string(error.plugin->name()) + "\" filter plugin: " + why;
}

}  // namespace scheduling

using scheduling::kLog;

Scheduler::Scheduler(const SchedulerContext& context, const SchedulerOptions& options)
    : context_(context),
      decided_(options.decided),
      client_(context.client, context.clock, stopping_.get_token()),
      pods_(*context.schema.find_resource("", "v1", "pods")),
      poller_(context.clock),
      informers_(context.client, context.schema, context.clock, context.random),
      events_(context.client, context.clock, context.pool,
              *context.schema.find_resource("", "v1", "events"),
              {.component = "default-scheduler", .host = {}}),
      permits_(context.clock),
      queue_(context.clock, profiles_, options.queue),
      evaluations_(cluster_, nominations_),
      event_handlers_(cluster_, queue_, nominations_, profiles_),
      outbox_(context.pool, scheduling::kBindingsAtOnce) {}

Result<std::unique_ptr<Scheduler>> Scheduler::make(const SchedulerContext& context,
                                                   const SchedulerOptions& options) {
  std::unique_ptr<Scheduler> made(new Scheduler(context, options));
  // Nodes before pods: plugins and event handlers ask for informers in this order.
  made->event_handlers_.listen(made->informers_, [scheduler = made.get()] { scheduler->wake_(); });
  std::vector<std::unique_ptr<Profile>> profiles =
      TRY(options.make_profiles(made->plugin_context()));
  made->profiles_.set(std::move(profiles));
  return made;
}

PluginContext Scheduler::plugin_context() {
  return {
      .client = client_,
      .informers = informers_,
      .events = events_,
      .schema = context_.schema,
      .clock = context_.clock,
      .random = context_.random,
      .pool = context_.pool,
      .cluster = cluster_,
      .nominations = nominations_,
      .permits = permits_,
      .retry =
          [this](api::Uid uid) { request_from_plugin({.uid = std::move(uid), .to_retry = true}); },
      .ask_gate = [this](api::Uid uid) { request_from_plugin({.uid = std::move(uid)}); }};
}

void Scheduler::request_from_plugin(PluginRequest request) {
  {
    const MutexLock lock(mutex_);
    plugin_requests_.push_back(std::move(request));
  }
  wake_();
}

Scheduler::~Scheduler() { stop(); }

bool Scheduler::start(const Until& until) {
  informers_.join(poller_);
  poller_.add(*this);
  poller_.start();
  return informers_.wait_synced(until);
}

void Scheduler::stop() {
  stopping_.request_stop();
  poller_.stop();
}

Steady Scheduler::poll() {
  if (!filled_) {
    // Decisions on an incomplete cache could be wrong.
    if (!informers_.synced()) return context_.clock.steady() + scheduling::kSyncPollInterval;
    filled_ = true;
    kLog.info("scheduler started",
              {{"nodes", cluster_.node_count()}, {"pods", cluster_.pod_count()}});
  }
  process_pool_results();
  queue_.flush();
  const size_t tried = schedule(scheduling::kPodsPerPoll);
  return tried == scheduling::kPodsPerPoll ? context_.clock.steady() : queue_.next_due();
}

size_t Scheduler::step(size_t most) {
  informers_.poll();
  if (!informers_.synced()) return 0;
  process_pool_results();
  queue_.flush();
  const size_t tried = schedule(most);
  process_pool_results();
  return tried;
}

void Scheduler::process_pool_results() {
  std::vector<Bound> bound;
  std::vector<PluginRequest> plugin_requests;
  {
    const MutexLock lock(mutex_);
    bound.swap(bound_);
    plugin_requests.swap(plugin_requests_);
  }
  for (Bound& one : bound) binding_finished(std::move(one));
  for (const PluginRequest& one : plugin_requests) {
    if (one.to_retry) {
      queue_.retry(one.uid);
    } else {
      queue_.ask_gate(one.uid);
    }
  }
}

PodPtr Scheduler::latest(const Pod& pod) {
  const api::ObjectPtr object = informers_.of("", "pods").cache().get(client::Key::of(*pod.object));
  if (object == nullptr || pod.uid() != object->metadata().uid) return nullptr;
  PodPtr read = event_handlers_.read(object);
  return read->being_deleted ? nullptr : read;
}

void Scheduler::binding_finished(Bound bound) {
  if (bound.outcome.ok()) return;  // the event handlers see the bound pod
  const api::UidView uid = bound.assumed->uid();
  const bool is_gone = !cluster_.is_assumed(uid);
  take_back(*bound.profile, *bound.assumed);
  queue_.tell({.resource = EventResource::kAssignedPod,
               .action = action::kDelete,
               .old_pod = bound.assumed.get()});
  if (is_gone) return;  // deleted, or bound by another client
  // Updates during the binding were not queued, because the pod was assumed.
  bound.waiting->pod = latest(*bound.assumed);
  if (bound.waiting->pod == nullptr) return;
  kLog.warn("binding the pod failed", {{"pod", bound.assumed->key().str()},
                                       {"node", bound.assumed->node.view()},
                                       {"error", bound.outcome.status()}});
  failed(std::move(bound.waiting), bound.outcome.status().message());
}

size_t Scheduler::schedule(size_t most) {
  size_t tried = 0;
  while (tried < most) {
    WaitingPtr waiting = queue_.pop();
    if (waiting == nullptr) break;
    ++tried;
    const Steady begin = context_.clock.steady();
    schedule_one(std::move(waiting));
    if (decided_) decided_(context_.clock.steady() - begin);
  }
  return tried;
}

void Scheduler::schedule_one(WaitingPtr waiting) {
  const PodPtr pod = waiting->pod;
  const Profile* profile = profiles_.find(pod->shape->scheduler_name);
  if (profile == nullptr || pod->being_deleted || cluster_.is_assumed(pod->uid())) return;
  if (cluster_.node_count() == 0) {
    return rejected(std::move(waiting), {},
                    {.reason = "Unschedulable",
                     .message = "no nodes available to schedule pods",
                     .nominated_node = api::NodeName()});
  }
  Evaluation& evaluation = evaluations_.of(*profile, *pod);
  if (const std::optional<NodeIndex> node = find_node(*pod, evaluation)) {
    return place(*profile, std::move(waiting), *node);
  }
  found_none(*profile, std::move(waiting), evaluation);
}

std::optional<NodeIndex> Scheduler::find_node(const Pod& pod, Evaluation& evaluation) {
  if (const api::NodeNameView name = nominations_.node_of(pod.uid()); !name.empty()) {
    const std::optional<NodeIndex> nominated = cluster_.find(name);
    if (nominated && evaluation.takes(*nominated)) return nominated;
  }
  return evaluation.choose(context_.random);
}

void Scheduler::found_none(const Profile& profile, WaitingPtr waiting, Evaluation& evaluation) {
  const PodPtr pod = waiting->pod;
  std::vector<const Plugin*> by = rejecting_plugins(evaluation);
  if (evaluation.pre_filter().verdict.code == Code::kError) {
    return failed(std::move(waiting), scheduling::failure_of(evaluation.pre_filter(), true));
  }
  if (const Diagnosis::Rejection* error = first_error(cluster_, evaluation)) {
    return failed(std::move(waiting), scheduling::failure_of(*error, false));
  }
  PostFiltered after;
  for (PostFilterPlugin* plugin : profile.post_filter) {
    after = plugin->post_filter(pod, evaluation);
    if (after.verdict.ok() || after.verdict.code == Code::kUnresolvable) break;
  }
  rejected(std::move(waiting), std::move(by),
           {.reason = "Unschedulable",
            .message = fit_message(cluster_, evaluation, after.message),
            .nominated_node = profile.post_filter.empty() ? std::optional(api::NodeName())
                                                          : after.nominated_node});
}

void Scheduler::place(const Profile& profile, WaitingPtr waiting, NodeIndex node) {
  const PodPtr assumed = on_node(*waiting->pod, cluster_.at(node).name());
  cluster_.assume(assumed);
  nominations_.remove(assumed->uid());
  const auto refuse = [&](const Verdict& verdict, const Plugin* plugin) {
    take_back(profile, *assumed);
    std::string message = verdict.reasons == nullptr ? "" : join(*verdict.reasons, ", ");
    if (verdict.code == Code::kError) {
      return failed(std::move(waiting), scheduling::running("Reserve", *plugin) + message);
    }
    message = "0/1 nodes are available: 1 " + message + ".";
    rejected(std::move(waiting), {plugin},
             {.reason = "Unschedulable",
              .message = std::move(message),
              .nominated_node = api::NodeName()});
  };
  for (ReservePlugin* plugin : profile.reserve) {
    const Verdict verdict = plugin->reserve(*assumed, node);
    if (!verdict.ok()) return refuse(verdict, plugin);
  }
  Duration wait{0};
  for (PermitPlugin* plugin : profile.permit) {
    const Permission permission = plugin->permit(*assumed, assumed->node);
    if (!permission.verdict.ok()) return refuse(permission.verdict, plugin);
    wait = std::max(wait, permission.wait);
  }
  start_binding(profile, std::move(waiting), assumed, wait);
}

void Scheduler::take_back(const Profile& profile, const Pod& assumed) {
  for (auto plugin = profile.reserve.rbegin(); plugin != profile.reserve.rend(); ++plugin) {
    (*plugin)->unreserve(assumed);
  }
  cluster_.forget(assumed.uid());
}

void Scheduler::start_binding(const Profile& profile, WaitingPtr waiting, PodPtr assumed,
                              Duration wait) {
  bool slow = wait > Duration::zero();
  for (const PreBindPlugin* plugin : profile.pre_bind) {
    slow = slow || plugin->has_work(*assumed, assumed->node);
  }
  if (wait > Duration::zero()) permits_.begin(assumed->uid());
  // std::function requires a copyable closure.
  auto bound = std::make_shared<Bound>();
  bound->profile = &profile;
  bound->waiting = std::move(waiting);
  bound->assumed = assumed;
  const auto write = [this, bound, wait] {
    bound->outcome = bind(*bound->profile, *bound->assumed, wait);
    {
      const MutexLock lock(mutex_);
      bound_.push_back(std::move(*bound));
    }
    wake_();
  };
  if (slow) {
    outbox_.post_slow(assumed->uid(), write);
  } else {
    outbox_.post(assumed->uid(), write);
  }
}

Result<void> Scheduler::bind(const Profile& profile, const Pod& assumed, Duration wait) {
  const std::stop_token stop = stopping_.get_token();
  if (wait > Duration::zero()) {
    TRY(permits_.wait(assumed.uid(), Until::after(context_.clock, wait, stop)));
  }
  const Until until = Until::after(context_.clock, scheduling::kBindTimeout, stop);
  for (PreBindPlugin* plugin : profile.pre_bind) {
    const Result<void> done = plugin->pre_bind(assumed, assumed.node, until);
    if (!done.ok()) return scheduling::wrapped("PreBind", *plugin, done.status());
  }
  for (BindPlugin* plugin : profile.bind) {
    const Result<bool> done = plugin->bind(assumed, assumed.node, until);
    if (!done.ok()) return scheduling::wrapped("Bind", *plugin, done.status());
    if (!*done) continue;
    events_.normal(scheduling::reference_to(assumed), "Scheduled",
                   "Successfully assigned " + assumed.key().str() + " to " + assumed.node.str());
    for (PostBindPlugin* after : profile.post_bind) after->post_bind(assumed, assumed.node);
    return {};
  }
  return Status(Reason::kInternalError, "no Bind plugin handled the pod");
}

void Scheduler::rejected(WaitingPtr waiting, std::vector<const Plugin*> by, PodReport report) {
  const PodPtr pod = waiting->pod;
  if (report.nominated_node) nominations_.set(pod, *report.nominated_node);
  queue_.put_back(std::move(waiting), std::move(by));
  tell(pod, std::move(report));
}

void Scheduler::failed(WaitingPtr waiting, const std::string& message) {
  const PodPtr pod = waiting->pod;
  nominations_.remove(pod->uid());
  queue_.put_back_after_error(std::move(waiting));
  tell(pod, {.reason = "SchedulerError", .message = message, .nominated_node = api::NodeName()});
}

void Scheduler::tell(const PodPtr& pod, PodReport report) {
  events_.warning(scheduling::reference_to(*pod), "FailedScheduling",
                  scheduling::shortened(report.message));
  const std::string patch = report_patch(*pod, report, context_.clock.now());
  if (patch.empty()) return;
  outbox_.post(pod->uid(), [this, pod, patch] {
    const client::Place place{.resource = &pods_,
                              .name_space = std::string(pod->name_space()),
                              .name = std::string(pod->name()),
                              .subresource = "status"};
    const Result<api::ObjectPtr> written =
        client_.patch(place, api::PatchType::kStrategic, json::parse_literal(patch), {});
    if (written.ok() || written.is(Reason::kNotFound)) return;
    kLog.warn("writing the pod's PodScheduled condition failed",
              {{"pod", pod->key().str()}, {"error", written.status()}});
  });
}

}  // namespace proa::scheduler
