#include "kubelet/model/pod.h"

#include <algorithm>

#include "base/check.h"

namespace proa::kubelet {
namespace pod {

// The API server gives a static pod no uid: the hash of its manifest is used instead.
api::Uid uid_of(const api::Object& object, Pod::Source source, const objects::Pod& fields) {
  const std::string& hash = fields.metadata.annotations.hash;
  if (source == Pod::Source::kFile && !hash.empty()) return api::Uid(hash);
  return api::Uid(object.metadata().uid);
}

void add(std::vector<ContainerSpec>& found, api::View list,
         const std::vector<objects::Container>& containers, ContainerKind kind) {
  CHECK(list.size() == containers.size());
  for (size_t i = 0; i < containers.size(); ++i) {
    const bool sidecar = kind == ContainerKind::kInit && containers[i].is_sidecar();
    found.push_back({.view = list.item(i),
                     .fields = &containers[i],
                     .kind = sidecar ? ContainerKind::kSidecar : kind,
                     .index = i});
  }
}

}  // namespace pod

Pod::Pod(api::ObjectPtr object, Source source, json::Document document, Fields fields)
    : object_(std::move(object)),
      source_(source),
      document_(std::move(document)),
      fields_(std::move(fields)) {
  uid_ = pod::uid_of(*object_, source, *fields_);
  if (const auto& deleted = fields_->metadata.deleted) {
    const Result<Time> time = parse_time(*deleted);
    deleted_at_ = time ? *time : Time{};
  }
}

Result<PodPtr> Pod::read(api::ObjectPtr object, Source source) {
  json::Document document = TRY(object->document());
  objects::Pod decoded = TRY(api::decode<objects::Pod>(*object));
  auto fields = std::make_shared<const objects::Pod>(std::move(decoded));
  return PodPtr(new Pod(std::move(object), source, std::move(document), std::move(fields)));
}

PodPtr Pod::with_document(json::Document document) const {
  return PodPtr(new Pod(object_, source_, std::move(document), fields_));
}

std::string Pod::full_name() const { return std::string(name()) + "_" + std::string(name_space()); }

int64_t Pod::grace_seconds() const {
  return fields_->metadata.deletion_grace_seconds.value_or(fields_->spec.grace_seconds);
}

bool Pod::is_finished() const {
  const std::string_view phase = fields_->status.phase;
  return phase == "Succeeded" || phase == "Failed";
}

Duration bounded_seconds(int64_t seconds) {
  constexpr int64_t kLongest = 365 * 24 * 3600;
  return std::chrono::seconds(std::clamp<int64_t>(seconds, 0, kLongest));
}

std::vector<ContainerSpec> containers_of(const Pod& pod) {
  std::vector<ContainerSpec> found;
  const objects::PodSpec& fields = pod.fields().spec;
  const api::View spec = pod.spec();
  pod::add(found, spec["initContainers"], fields.init_containers, ContainerKind::kInit);
  pod::add(found, spec["containers"], fields.containers, ContainerKind::kRegular);
  pod::add(found, spec["ephemeralContainers"], fields.ephemeral_containers,
           ContainerKind::kEphemeral);
  return found;
}

std::optional<ContainerSpec> find_container(const Pod& pod, std::string_view name) {
  for (const ContainerSpec& container : containers_of(pod)) {
    if (container.name() == name) return container;
  }
  return std::nullopt;
}

}  // namespace proa::kubelet
