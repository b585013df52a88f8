#include "kubelet/model/pod.h"

#include <algorithm>

#include "kinds/core/pods/spec/annotations.h"
#include "kinds/core/resources/resources.h"

namespace proa::kubelet {
namespace pod {

constexpr std::string_view kHashAnnotation = "kubernetes.io/config.hash";

// A static pod has no uid of the API server: the hash of its manifest is used instead.
std::string uid_of(const api::Object& object, Pod::Source source, api::View annotations) {
  if (source == Pod::Source::kFile) {
    const std::string_view hash = annotations[kHashAnnotation].text();
    if (!hash.empty()) return std::string(hash);
  }
  return std::string(object.metadata().uid);
}

void add(std::vector<ContainerSpec>& found, api::View list, ContainerKind kind) {
  size_t index = 0;
  for (const api::View container : list.items()) {
    const bool sidecar = kind == ContainerKind::kInit && kinds::pods::is_sidecar(container);
    found.push_back(
        {.view = container, .kind = sidecar ? ContainerKind::kSidecar : kind, .index = index++});
  }
}

}  // namespace pod

Pod::Pod(api::ObjectPtr object, Source source, json::Document document)
    : object_(std::move(object)), source_(source), document_(std::move(document)) {
  uid_ = pod::uid_of(*object_, source, metadata()["annotations"]);
  mirror_ = source == Source::kApi && kinds::pods::is_mirror_pod(root());
  if (metadata()["deletionTimestamp"]) {
    const Result<Time> time = parse_time(metadata()["deletionTimestamp"].text());
    deleted_at_ = time ? *time : Time{};
  }
}

Result<PodPtr> Pod::read(api::ObjectPtr object, Source source) {
  json::Document document = TRY(object->document());
  return PodPtr(new Pod(std::move(object), source, std::move(document)));
}

PodPtr Pod::with_document(json::Document document) const {
  return PodPtr(new Pod(object_, source_, std::move(document)));
}

std::string Pod::full_name() const { return std::string(name()) + "_" + std::string(name_space()); }

int64_t Pod::grace_seconds() const {
  const api::View asked = metadata()["deletionGracePeriodSeconds"];
  if (asked) return asked.integer();
  return spec()["terminationGracePeriodSeconds"].integer(30);
}

bool Pod::is_finished() const {
  const std::string_view phase = status()["phase"].text();
  return phase == "Succeeded" || phase == "Failed";
}

Duration bounded_seconds(int64_t seconds) {
  constexpr int64_t kLongest = 365 * 24 * 3600;
  return std::chrono::seconds(std::clamp<int64_t>(seconds, 0, kLongest));
}

std::vector<ContainerSpec> containers_of(const Pod& pod) {
  std::vector<ContainerSpec> found;
  pod::add(found, pod.spec()["initContainers"], ContainerKind::kInit);
  pod::add(found, pod.spec()["containers"], ContainerKind::kRegular);
  pod::add(found, pod.spec()["ephemeralContainers"], ContainerKind::kEphemeral);
  return found;
}

std::optional<ContainerSpec> find_container(const Pod& pod, std::string_view name) {
  for (const ContainerSpec& container : containers_of(pod)) {
    if (container.name() == name) return container;
  }
  return std::nullopt;
}

}  // namespace proa::kubelet
