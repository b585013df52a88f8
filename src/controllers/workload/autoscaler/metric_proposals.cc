#include "controllers/workload/autoscaler/metric_proposals.h"

#include <algorithm>

#include "api/quantity.h"
#include "api/validation/go_text.h"
#include "base/strings.h"
#include "controllers/framework/selector_text.h"
#include "json/parse.h"

namespace proa::controllers {
namespace metric_proposals {

using api::Edit;
using api::Quantity;
using objects::MetricIdentifier;
using objects::MetricTarget;

Status failure(const std::string& why) { return {Reason::kInternalError, why}; }

Status wrap(const std::string& what, const Status& why) {
  return failure(what + ": " + why.message());
}

int64_t milli_of(const std::optional<Quantity>& quantity) {
  return quantity ? quantity->milli_value() : 0;
}

std::string milli_text(int64_t value, bool binary = false) {
  const auto format = binary ? api::QuantityFormat::kBinarySi : api::QuantityFormat::kDecimalSi;
  return Quantity::milli(value, format).str();
}

// The selector of a metric. An absent one matches nothing, but its text is empty and so requests
// all series.
struct MetricSelector {
  json::Document document;  // null if absent
  api::LabelSelector parsed;

  static Result<MetricSelector> read(const MetricIdentifier& metric) {
    MetricSelector selector;
    if (!metric.selector.empty()) selector.document = TRY(json::parse(metric.selector.text));
    selector.parsed = TRY(api::LabelSelector::from(selector.document.root()));
    return selector;
  }
  std::string text() const { return go_selector_text(document.root()); }
};

// What upstream's functions return: the proposal and the name of the metric.
struct Named {
  Proposal proposal;
  std::string name;
};

// Evaluates one metric.
class Evaluation {
 public:
  Evaluation(MetricsSource& source, const MetricQuery& query, const objects::Metric& metric,
             Edit status)
      : source_(source), query_(query), metric_(metric), status_(status) {}

  Result<Named> resource() const {
    return resource("resource", metric_.resource.name, "", metric_.resource.target);
  }

  Result<Named> container_resource() const {
    const objects::ContainerResourceMetric& spec = metric_.container_resource;
    return resource("containerResource", spec.name, spec.container, spec.target);
  }

  Result<Named> pods() const {
    const objects::CustomMetric& spec = metric_.pods;
    const std::string& name = spec.metric.name;
    const MetricSelector selector = TRY(MetricSelector::read(spec.metric));
    Result<PodMetrics> metrics =
        source_.pods(name, query_.name_space, query_.selector, selector.parsed);
    if (!metrics) return wrap("unable to get metric " + name, metrics.status());
    const Proposal proposal = TRY(replicas_for_average(query_.scaled, *std::move(metrics), "",
                                                       milli_of(spec.target.average_value)));
    put_status("pods", name, selector, "averageValue", proposal.usage);
    return Named{proposal, "pods metric " + name};
  }

  Result<Named> object() const {
    const objects::ObjectMetric& spec = metric_.object;
    const MetricTarget& target = spec.target;
    const objects::ObjectReference& described = spec.described_object;
    const std::string& name = spec.metric.name;
    const bool by_value = target.type == "Value" && target.value;
    const bool by_average = target.type == "AverageValue" && target.average_value;
    const MetricSelector selector = TRY(MetricSelector::read(spec.metric));
    if (!by_value && !by_average) {
      return failure(
          "invalid object metric source: neither a value target nor an average value target was "
          "set");
    }
    const Result<int64_t> usage =
        source_.object(name, query_.name_space, described, selector.parsed);
    // Upstream's GetObjectMetricReplicas passes its arguments in another order than its format.
    if (!usage) {
      return failure("unable to get metric " + name + ": " + described.kind + " on " +
                     std::string(query_.name_space) + " " + described.name + "/" +
                     usage.status().message());
    }
    const Proposal proposal = TRY(propose(*usage, target, by_value));
    const Edit written =
        put_status("object", name, selector, by_value ? "value" : "averageValue", proposal.usage);
    const Edit reference = written.object("describedObject");
    reference.set("kind", described.kind);
    reference.set("name", described.name);
    if (!described.api_version.empty()) reference.set("apiVersion", described.api_version);
    if (by_value) return Named{proposal, described.kind + " metric " + name};
    return Named{proposal, external_name(name, selector)};
  }

  Result<Named> external() const {
    const objects::CustomMetric& spec = metric_.external;
    const std::string& name = spec.metric.name;
    const bool by_average = spec.target.average_value.has_value();
    if (!by_average && !spec.target.value) {
      return failure(
          "invalid external metric source: neither a value target nor an average value target was "
          "set");
    }
    const MetricSelector selector = TRY(MetricSelector::read(spec.metric));
    const Result<std::vector<int64_t>> values =
        source_.external(name, query_.name_space, selector.parsed);
    if (!values) {
      return wrap("unable to get external metric " + std::string(query_.name_space) + "/" + name +
                      "/" + selector.text(),
                  values.status());
    }
    const Proposal proposal = TRY(propose(sum_of(*values), spec.target, !by_average));
    put_status("external", name, selector, by_average ? "averageValue" : "value", proposal.usage);
    return Named{proposal, external_name(name, selector)};
  }

 private:
  // `container` is empty for the resource of whole pods.
  Result<Named> resource(const char* field, const std::string& name, const std::string& container,
                         const MetricTarget& target) const {
    const bool by_average = target.average_value.has_value();
    if (!by_average && !target.average_utilization) {
      return failure(
          "invalid resource metric source: neither an average utilization target nor an average "
          "value (usage) target was set");
    }
    const Result<Proposal> proposed = propose_for_resource(name, container, target);
    if (!proposed) {
      return wrap("failed to get " + name + (by_average ? " usage" : " utilization"),
                  proposed.status());
    }
    const Edit written = begin_status(field);
    written.set("name", name);
    if (!container.empty()) written.set("container", container);
    const Edit current = written.object("current");
    if (proposed->utilization) current.set("averageUtilization", *proposed->utilization);
    current.set("averageValue", milli_text(proposed->usage, name == "memory"));
    if (by_average) return Named{*proposed, name + " resource"};
    return Named{*proposed, name + (container.empty() ? "" : " container") +
                                " resource utilization (percentage of request)"};
  }

  Result<Proposal> propose_for_resource(const std::string& name, const std::string& container,
                                        const MetricTarget& target) const {
    Result<PodMetrics> metrics =
        source_.resource(name, query_.name_space, query_.selector, container);
    if (!metrics) return wrap("unable to get metrics for resource " + name, metrics.status());
    if (target.average_value) {
      return replicas_for_average(query_.scaled, *std::move(metrics), name,
                                  milli_of(target.average_value));
    }
    return replicas_for_utilization(query_.scaled, *std::move(metrics), name, container,
                                    *target.average_utilization);
  }

  // For a metric that is not measured per pod.
  Result<Proposal> propose(int64_t usage, const MetricTarget& target, bool by_value) const {
    if (by_value) return replicas_for_value(query_.scaled, usage, milli_of(target.value));
    return replicas_for_average_value(query_.status_replicas, query_.scaled.tolerances, usage,
                                      milli_of(target.average_value));
  }

  static std::string external_name(const std::string& name, const MetricSelector& selector) {
    return "external metric " + name + "(" + selector.text() + ")";
  }

  Edit begin_status(const char* field) const {
    status_.set("type", metric_.type);
    return status_.object(field);
  }

  Edit put_status(const char* field, const std::string& name, const MetricSelector& selector,
                  const char* value_field, int64_t usage) const {
    const Edit written = begin_status(field);
    const Edit metric = written.object("metric");
    metric.set("name", name);
    metric.copy("selector", selector.document.root());
    written.object("current").set(value_field, milli_text(usage));
    return written;
  }

  MetricsSource& source_;
  const MetricQuery& query_;
  const objects::Metric& metric_;
  const Edit status_;
};

struct Kind {
  std::string_view type;
  std::string_view reason;
  Result<Named> (Evaluation::*evaluate)() const;
};

constexpr Kind kKinds[] = {
    {"Object", "FailedGetObjectMetric", &Evaluation::object},
    {"Pods", "FailedGetPodsMetric", &Evaluation::pods},
    {"Resource", "FailedGetResourceMetric", &Evaluation::resource},
    {"ContainerResource", "FailedGetContainerResourceMetric", &Evaluation::container_resource},
    {"External", "FailedGetExternalMetric", &Evaluation::external},
};

// The prefix of a failure in the summary of all metrics. Upstream's functions add it on the way up,
// after the condition was set.
std::string context_of(const objects::Metric& metric) {
  const auto named = [](const std::string& name, const char* rest) {
    return "failed to get " + name + rest;
  };
  if (metric.type == "Object") {
    std::string context = "failed to get object metric value: ";
    if (metric.object.target.type != "AverageValue") return context;
    return context + named(metric.object.metric.name, " object metric: ");
  }
  if (metric.type == "Pods") return "failed to get pods metric value: ";
  if (metric.type == "Resource") return named(metric.resource.name, " resource metric value: ");
  if (metric.type == "ContainerResource") {
    return named(metric.container_resource.container, " container metric value: ");
  }
  const std::string& name = metric.external.metric.name;
  std::string context = named(name, " external metric value: ");
  if (metric.external.target.average_value) return context + named(name, " external metric: ");
  if (metric.external.target.value) return context + "failed to get external metric " + name + ": ";
  return context;
}

}  // namespace metric_proposals

MetricProposal evaluate_metric(MetricsSource& source, const MetricQuery& query,
                               const objects::Metric& metric, api::Edit status) {
  using namespace metric_proposals;
  status.set("type", "");  // stays if the evaluation fails
  const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                 [&](const Kind& one) { return one.type == metric.type; });
  MetricProposal result;
  if (kind == std::end(kKinds)) {
    result.failure = {"InvalidMetricSourceType",
                      "unknown metric source type " + api::quoted(metric.type), ""};
    return result;
  }
  const Evaluation evaluation(source, query, metric, status);
  const Result<Named> named = (evaluation.*kind->evaluate)();
  if (!named) {
    result.failure = {std::string(kind->reason), named.status().message(), context_of(metric)};
    return result;
  }
  result.replicas = named->proposal.replicas;
  result.name = named->name;
  return result;
}

}  // namespace proa::controllers
