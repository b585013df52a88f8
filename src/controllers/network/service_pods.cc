#include "controllers/network/service_pods.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "controllers/network/backend.h"

namespace proa::controllers {
namespace service_pods {

// Shared by both endpoint controllers; an index is added once.
constexpr const char* kPodsByLabel = "network-label";
constexpr const char* kServicesBySelector = "network-selector";

std::string label_in(std::string_view name_space, std::string_view key, std::string_view value) {
  return fmt::format("{}/{}={}", name_space, key, value);
}

std::string entry_of(std::string_view name_space, const api::LabelSelector& selector) {
  const api::LabelSelector::Requirement& wanted = most_telling(selector);
  return label_in(name_space, wanted.key, wanted.values.front());
}

std::vector<std::string> all_labels(const api::Object& pod) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : pod.metadata().labels) {
    labels.push_back(label_in(pod.metadata().name_space, key, value));
  }
  return labels;
}

// Services are indexed by one label; pods are looked up by each of theirs.
std::vector<std::string> one_label(const api::Object& service) {
  const ServiceFacts& facts = service_facts(service);
  if (!facts.has_endpoints()) return {};
  return {entry_of(service.metadata().name_space, *facts.selector)};
}

bool is_same_service(const api::Object& before, const api::Object& after) {
  return before.metadata().uid == after.metadata().uid &&
         before.metadata().labels == after.metadata().labels &&
         before.metadata().being_deleted == after.metadata().being_deleted &&
         service_facts(before) == service_facts(after);
}

}  // namespace service_pods

const api::LabelSelector::Requirement& most_telling(const api::LabelSelector& selector) {
  CHECK(!selector.requirements().empty());
  // The longest label is the most selective: "app=orders-frontend" rather than "env=prod".
  return *std::max_element(selector.requirements().begin(), selector.requirements().end(),
                           [](const auto& a, const auto& b) {
                             return a.values.front().size() < b.values.front().size();
                           });
}

ServicePods::ServicePods(const ControllerContext& context)
    : services_(context.informers.of("", "services")), pods_(context.informers.of("", "pods")) {
  pods_.add_index(service_pods::kPodsByLabel, service_pods::all_labels);
  services_.add_index(service_pods::kServicesBySelector, service_pods::one_label);
}

void ServicePods::listen(client::WorkQueue& queue) {
  services_.add_handler([&queue](const client::Change& change) {
    if (change.before != nullptr && change.after != nullptr &&
        service_pods::is_same_service(*change.before, *change.after)) {
      return;
    }
    queue.add(change.key);
  });
  pods_.add_handler([this, &queue](const client::Change& change) { pod_changed(change, queue); });
}

void ServicePods::pod_changed(const client::Change& change, client::WorkQueue& queue) const {
  if (change.before != nullptr && change.after != nullptr) {
    if (is_same_backend(*change.before, *change.after)) return;
    // Labels changed: services that selected the pod before are queued, too.
    if (change.before->metadata().labels != change.after->metadata().labels) {
      for (const client::Key& service : services_of(*change.before)) queue.add(service);
    }
  }
  const api::Object& pod = change.after != nullptr ? *change.after : *change.before;
  for (const client::Key& service : services_of(pod)) queue.add(service);
}

std::vector<api::ObjectPtr> ServicePods::pods_of(const api::Object& service) const {
  const api::LabelSelector& selector = *service_facts(service).selector;
  std::vector<api::ObjectPtr> pods = pods_.cache().find(
      service_pods::kPodsByLabel, service_pods::entry_of(service.metadata().name_space, selector));
  std::erase_if(
      pods, [&](const api::ObjectPtr& pod) { return !selector.matches(pod->metadata().labels); });
  return pods;
}

std::vector<client::Key> ServicePods::services_of(const api::Object& pod) const {
  std::vector<client::Key> found;
  for (const std::string& label : service_pods::all_labels(pod)) {
    for (const api::ObjectPtr& service :
         services_.cache().find(service_pods::kServicesBySelector, label)) {
      if (!service_facts(*service).selector->matches(pod.metadata().labels)) continue;
      found.push_back(client::Key::of(*service));
    }
  }
  return found;
}

}  // namespace proa::controllers
