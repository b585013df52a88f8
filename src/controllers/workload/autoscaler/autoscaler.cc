#include "controllers/workload/autoscaler/autoscaler.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/workload/autoscaler/scaling_round.h"
#include "json/text/scan.h"

namespace proa::controllers {
namespace autoscaler {

using client::Again;
using client::Key;

constexpr Duration kSyncPeriod = std::chrono::seconds(15);
constexpr const char* kGroup = "autoscaling";
constexpr const char* kResource = "horizontalpodautoscalers";

bool selects_any(const api::LabelSelector& selector, const std::vector<api::ObjectPtr>& pods) {
  return std::any_of(pods.begin(), pods.end(), [&](const api::ObjectPtr& pod) {
    return selector.matches(pod->metadata().labels);
  });
}

class Autoscaler final : public Controller {
 public:
  Autoscaler(const ControllerContext& context, std::unique_ptr<MetricsSource> metrics)
      : client_(context.client),
        events_(context.events),
        known_{context.schema, context.informers.custom()},
        clock_(context.clock),
        resource_(*context.schema.find_resource(kGroup, "v2", kResource)),
        autoscalers_(context.informers.of(kGroup, kResource)),
        pods_(context.informers.of("", "pods")),
        freshness_(autoscalers_),
        metrics_(std::move(metrics)) {}

  void listen(client::WorkQueue& queue) override {
    autoscalers_.add_handler([&queue](const client::Change& change) {
      const auto spec = [](const api::ObjectPtr& object) {
        return object == nullptr ? std::string_view() : json::Scan::find(object->json(), "spec");
      };
      // This controller writes the status.
      if (spec(change.before) != spec(change.after)) queue.add(change.key);
    });
  }

  // Failures are reported in the status and retried at the next sync, not sooner.
  Result<Again> reconcile(const Key& key) override {
    if (!freshness_.is_fresh(key)) return kNotYet;
    const api::ObjectPtr object = autoscalers_.cache().get(key);
    if (object == nullptr) {
      freshness_.forget(key);
      MutexLock lock(mutex_);
      states_.erase(key);
      return Again{};
    }
    const objects::Autoscaler autoscaler = TRY(api::decode<objects::Autoscaler>(*object));
    json::Document document = TRY(object->document());
    const RoundContext context{client_, events_, *metrics_, clock_.now()};
    ScalingHistory history = history_of(key);
    ScalingRound round(context, *object, autoscaler.spec, api::Edit(document), history);
    run(key, autoscaler.spec, round, history);
    keep(key, std::move(history));
    const Result<api::ObjectPtr> written =
        write_status(client_, resource_, object, std::move(document));
    freshness_.tried(key, written);
    if (!written && !written.is(Reason::kNotFound)) {
      events_.warning(client::ObjectReference::to(*object), "FailedUpdateStatus",
                      written.status().message());
    }
    return Again{kSyncPeriod};
  }

 private:
  // State of an autoscaler between rounds.
  struct State {
    api::LabelSelector selector = api::LabelSelector::nothing();
    ScalingHistory history;
  };

  void run(const Key& key, const objects::AutoscalerSpec& spec, ScalingRound& round,
           ScalingHistory& history) {
    Result<ScaleTarget> target = ScaleTarget::read(client_, known_, key.name_space, spec.target);
    if (!target) {
      round.report_scale_failed(target.status());
      return;
    }
    round.report_scale_read();
    const objects::Scale& scale = target->scale();
    const std::string& selector_text = scale.status.selector;
    if (history.recommendations.empty()) {
      history.recommendations.push_back({scale.spec.replicas, clock_.now()});
    }
    api::LabelSelector selector;
    std::vector<const PodSample*> samples;
    std::vector<api::ObjectPtr> pods;
    if (round.needs_metrics(scale)) {
      std::optional<api::LabelSelector> parsed = parse_selector(selector_text, round);
      if (parsed) pods = pods_of(key, *parsed);
      if (!parsed || !is_only_autoscaler(key, *parsed, selector_text, pods, round)) {
        round.give_up(scale);
        return;
      }
      selector = *std::move(parsed);
      for (const api::ObjectPtr& pod : pods) samples.push_back(&pod_sample(*pod));
    }
    round.scale(*target, selector, samples);
  }

  static std::optional<api::LabelSelector> parse_selector(const std::string& text,
                                                          ScalingRound& round) {
    if (text.empty()) {
      round.report_invalid_selector("SelectorRequired", "InvalidSelector",
                                    "the HPA target's scale is missing a selector",
                                    "selector is required");
      return std::nullopt;
    }
    Result<api::LabelSelector> parsed = api::LabelSelector::parse(text);
    if (parsed) return *std::move(parsed);
    const std::string why =
        "couldn't convert selector into a corresponding internal selector "
        "object: " +
        parsed.status().message();
    round.report_invalid_selector("InvalidSelector", "InvalidSelector", why, why);
    return std::nullopt;
  }

  std::vector<api::ObjectPtr> pods_of(const Key& key, const api::LabelSelector& selector) const {
    std::vector<api::ObjectPtr> pods = pods_.cache().list(key.name_space);
    std::erase_if(
        pods, [&](const api::ObjectPtr& pod) { return !selector.matches(pod->metadata().labels); });
    return pods;
  }

  // Two autoscalers of the same pods would work against each other.
  bool is_only_autoscaler(const Key& key, const api::LabelSelector& selector,
                          const std::string& text, const std::vector<api::ObjectPtr>& pods,
                          ScalingRound& round) EXCLUDES(mutex_) {
    std::vector<std::string> all;
    {
      MutexLock lock(mutex_);
      states_[key].selector = selector;
      for (const auto& [other, state] : states_) {
        const bool same_namespace = other.name_space == key.name_space;
        if (same_namespace && selects_any(state.selector, pods)) {
          all.push_back("{" + other.name + " " + other.name_space + "}");
        }
      }
    }
    if (all.size() < 2) return true;
    const std::string why =
        "pods by selector " + text + " are controlled by multiple HPAs: [" + join(all, " ") + "]";
    round.report_invalid_selector("AmbiguousSelector", "AmbiguousSelector", why, why);
    return false;
  }

  ScalingHistory history_of(const Key& key) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return states_[key].history;
  }
  void keep(const Key& key, ScalingHistory history) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    states_[key].history = std::move(history);
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const KnownResources known_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& autoscalers_;
  client::Informer& pods_;
  Freshness freshness_;
  const std::unique_ptr<MetricsSource> metrics_;
  Mutex mutex_;
  std::map<Key, State> states_ GUARDED_BY(mutex_);
};

}  // namespace autoscaler

std::unique_ptr<Controller> make_autoscaler(const ControllerContext& context) {
  return make_autoscaler(context, make_absent_metrics());
}

std::unique_ptr<Controller> make_autoscaler(const ControllerContext& context,
                                            std::unique_ptr<MetricsSource> metrics) {
  return std::make_unique<autoscaler::Autoscaler>(context, std::move(metrics));
}

}  // namespace proa::controllers
