#include "controllers/workload/autoscaler/metric_proposals.h"

#include <algorithm>

#include "api/quantity.h"
#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::controllers {
namespace metric_proposals {

using api::Edit;
using api::Quantity;
using api::View;

Status failure(const std::string& why) { return {Reason::kInternalError, why}; }

Status behind(const std::string& what, const Status& why) {
  return failure(what + ": " + why.message());
}

// A selector of metrics: none selects all. What Go's %+v prints of one.
std::string selector_text(View selector) {
  if (!selector) return "nil";
  std::vector<std::string> labels;
  for (const json::Member& label : selector["matchLabels"].members()) {
    labels.push_back(std::string(label.key) + ": " + std::string(View(label.value).text()) + ",");
  }
  std::sort(labels.begin(), labels.end());
  std::string expressions;
  for (const View one : selector["matchExpressions"].items()) {
    std::vector<std::string_view> values;
    for (const View value : one["values"].items()) values.push_back(value.text());
    expressions += "LabelSelectorRequirement{Key:" + std::string(one["key"].text()) +
                   ",Operator:" + std::string(one["operator"].text()) + ",Values:[" +
                   join(values, " ") + "],},";
  }
  return "&LabelSelector{MatchLabels:map[string]string{" + join(labels, "") +
         "},MatchExpressions:[]LabelSelectorRequirement{" + expressions + "},}";
}

int64_t milli_of(View quantity) {
  const Result<Quantity> read = Quantity::parse(quantity.text());
  return read ? read->milli_value() : 0;
}

std::string milli_text(int64_t value, bool binary = false) {
  const auto format = binary ? api::QuantityFormat::kBinarySi : api::QuantityFormat::kDecimalSi;
  return Quantity::milli(value, format).str();
}

// One that is absent matches nothing, but asks for everything: as a text it is empty.
Result<api::LabelSelector> metric_selector(View metric) {
  return api::LabelSelector::from(metric["selector"]);
}

// What upstream's functions return: how many, and what it is called.
struct Named {
  Proposal proposal;
  std::string name;
};

// One metric that is asked about.
class Asking {
 public:
  Asking(MetricsSource& source, const MetricQuestion& question, View metric, Edit status)
      : source_(source), question_(question), metric_(metric), status_(status) {}

  Result<Named> resource(const char* field) const {
    const View spec = metric_[field];
    const View target = spec["target"];
    const std::string name(spec["name"].text());
    const std::string_view container = spec["container"].text();
    const bool by_average = target["averageValue"].exists();
    if (!by_average && !target["averageUtilization"]) {
      return failure(
          "invalid resource metric source: neither an average utilization target nor an average "
          "value (usage) target was set");
    }
    const Result<Proposal> proposed = ask_resource(name, container, target);
    if (!proposed) {
      return behind("failed to get " + name + (by_average ? " usage" : " utilization"),
                    proposed.status());
    }
    const Edit told = begin_status(field);
    told.set("name", name);
    if (!container.empty()) told.set("container", container);
    const Edit current = told.object("current");
    if (proposed->utilization) current.set("averageUtilization", *proposed->utilization);
    current.set("averageValue", milli_text(proposed->usage, name == "memory"));
    if (by_average) return Named{*proposed, name + " resource"};
    return Named{*proposed, name + (container.empty() ? "" : " container") +
                                " resource utilization (percentage of request)"};
  }

  Result<Named> pods() const {
    const View spec = metric_["pods"];
    const std::string name(spec["metric"]["name"].text());
    const api::LabelSelector selector = TRY(metric_selector(spec["metric"]));
    Result<PodMetrics> metrics =
        source_.pods(name, question_.name_space, question_.selector, selector);
    if (!metrics) return behind("unable to get metric " + name, metrics.status());
    const Proposal proposal = TRY(replicas_for_average(question_.scaled, *std::move(metrics), "",
                                                       milli_of(spec["target"]["averageValue"])));
    tell_shared("pods", spec, "averageValue", proposal.usage);
    return Named{proposal, "pods metric " + name};
  }

  Result<Named> object() const {
    const View spec = metric_["object"];
    const View target = spec["target"];
    const View described = spec["describedObject"];
    const std::string name(spec["metric"]["name"].text());
    const bool by_value = target["type"].text() == "Value" && target["value"];
    const bool by_share = target["type"].text() == "AverageValue" && target["averageValue"];
    const api::LabelSelector selector = TRY(metric_selector(spec["metric"]));
    if (!by_value && !by_share) {
      return failure(
          "invalid object metric source: neither a value target nor an average value target was "
          "set");
    }
    const Result<int64_t> usage = source_.object(name, question_.name_space, described, selector);
    // Upstream's GetObjectMetricReplicas gives its words in another order than its sentence.
    if (!usage) {
      return failure("unable to get metric " + name + ": " + std::string(described["kind"].text()) +
                     " on " + std::string(question_.name_space) + " " +
                     std::string(described["name"].text()) + "/" + usage.status().message());
    }
    const Proposal proposal = TRY(propose(*usage, target, by_value));
    const Edit told =
        tell_shared("object", spec, by_value ? "value" : "averageValue", proposal.usage);
    told.copy("describedObject", described);
    if (by_value) return Named{proposal, std::string(described["kind"].text()) + " metric " + name};
    return Named{proposal, external_name(spec["metric"])};
  }

  Result<Named> external() const {
    const View spec = metric_["external"];
    const View target = spec["target"];
    const std::string name(spec["metric"]["name"].text());
    const bool by_share = target["averageValue"].exists();
    if (!by_share && !target["value"]) {
      return failure(
          "invalid external metric source: neither a value target nor an average value target was "
          "set");
    }
    const api::LabelSelector selector = TRY(metric_selector(spec["metric"]));
    const Result<std::vector<int64_t>> values =
        source_.external(name, question_.name_space, selector);
    if (!values) {
      return behind("unable to get external metric " + std::string(question_.name_space) + "/" +
                        name + "/" + selector_text(spec["metric"]["selector"]),
                    values.status());
    }
    const Proposal proposal = TRY(propose(sum_of(*values), target, !by_share));
    tell_shared("external", spec, by_share ? "averageValue" : "value", proposal.usage);
    return Named{proposal, external_name(spec["metric"])};
  }

 private:
  Result<Proposal> ask_resource(const std::string& name, std::string_view container,
                                View target) const {
    Result<PodMetrics> metrics =
        source_.resource(name, question_.name_space, question_.selector, container);
    if (!metrics) return behind("unable to get metrics for resource " + name, metrics.status());
    if (const View average = target["averageValue"]) {
      return replicas_for_average(question_.scaled, *std::move(metrics), name, milli_of(average));
    }
    return replicas_for_utilization(question_.scaled, *std::move(metrics), name, container,
                                    target["averageUtilization"].integer());
  }

  // Of a metric that all share.
  Result<Proposal> propose(int64_t usage, View target, bool by_value) const {
    if (by_value) return replicas_for_value(question_.scaled, usage, milli_of(target["value"]));
    return replicas_for_share(question_.replicas_there, question_.scaled.tolerances, usage,
                              milli_of(target["averageValue"]));
  }

  static std::string external_name(View metric) {
    return "external metric " + std::string(metric["name"].text()) + "(" +
           selector_text(metric["selector"]) + ")";
  }

  Edit begin_status(const char* field) const {
    status_.copy("type", metric_["type"]);
    return status_.object(field);
  }

  Edit tell_shared(const char* field, View spec, const char* what, int64_t usage) const {
    const Edit told = begin_status(field);
    const Edit metric = told.object("metric");
    metric.copy("name", spec["metric"]["name"]);
    metric.copy("selector", spec["metric"]["selector"]);
    told.object("current").set(what, milli_text(usage));
    return told;
  }

  MetricsSource& source_;
  const MetricQuestion& question_;
  const View metric_;
  const Edit status_;
};

struct Kind {
  std::string_view type;
  std::string_view reason;
  Result<Named> (*ask)(const Asking&);
};

constexpr Kind kKinds[] = {
    {"Object", "FailedGetObjectMetric", [](const Asking& asking) { return asking.object(); }},
    {"Pods", "FailedGetPodsMetric", [](const Asking& asking) { return asking.pods(); }},
    {"Resource", "FailedGetResourceMetric",
     [](const Asking& asking) { return asking.resource("resource"); }},
    {"ContainerResource", "FailedGetContainerResourceMetric",
     [](const Asking& asking) { return asking.resource("containerResource"); }},
    {"External", "FailedGetExternalMetric", [](const Asking& asking) { return asking.external(); }},
};

// What stands before the failure where all of the metrics are spoken of: the words of several of
// upstream's functions, which the condition does not have.
std::string context_of(View metric) {
  const std::string_view type = metric["type"].text();
  const auto named = [](View name, const char* rest) {
    return "failed to get " + std::string(name.text()) + rest;
  };
  if (type == "Object") {
    const View object = metric["object"];
    std::string context = "failed to get object metric value: ";
    if (object["target"]["type"].text() != "AverageValue") return context;
    return context + named(object["metric"]["name"], " object metric: ");
  }
  if (type == "Pods") return "failed to get pods metric value: ";
  if (type == "Resource") return named(metric["resource"]["name"], " resource metric value: ");
  if (type == "ContainerResource") {
    return named(metric["containerResource"]["container"], " container metric value: ");
  }
  const View external = metric["external"];
  std::string context = named(external["metric"]["name"], " external metric value: ");
  const View target = external["target"];
  if (target["averageValue"])
    return context + named(external["metric"]["name"], " external metric: ");
  if (target["value"]) {
    return context + "failed to get external metric " +
           std::string(external["metric"]["name"].text()) + ": ";
  }
  return context;
}

}  // namespace metric_proposals

MetricAnswer answer_of_metric(MetricsSource& source, const MetricQuestion& question,
                              api::View metric, api::Edit status) {
  using namespace metric_proposals;
  const std::string_view type = metric["type"].text();
  status.set("type", "");  // so it stays when there is no answer
  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                 [&](const Kind& one) { return one.type == type; });
  MetricAnswer answer;
  if (kind == std::end(kKinds)) {
    answer.failure = {"InvalidMetricSourceType", "unknown metric source type " + api::quoted(type),
                      ""};
    return answer;
  }
  const Result<Named> named = kind->ask(Asking(source, question, metric, status));
  if (!named) {
    answer.failure = {std::string(kind->reason), named.status().message(), context_of(metric)};
    return answer;
  }
  answer.replicas = named->proposal.replicas;
  answer.name = named->name;
  return answer;
}

}  // namespace proa::controllers
