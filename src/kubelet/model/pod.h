#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/object/names.h"
#include "api/object/object.h"
#include "api/object/view.h"
#include "base/time.h"
#include "kubelet/model/pod_object.h"

namespace proa::kubelet {

// One version of a pod of this node, with its parsed document. Immutable.
class Pod {
 public:
  enum class Source : uint8_t { kApi, kFile };

  // Fails if its text is malformed, or a field that the kubelet reads has the wrong type.
  static Result<std::shared_ptr<const Pod>> read(api::ObjectPtr object, Source source);
  // The same pod with other resources in its document; object() and fields() stay the same.
  std::shared_ptr<const Pod> with_document(json::Document document) const;
  json::Document copy_document() const { return document_.copy(); }

  const api::ObjectPtr& object() const { return object_; }
  Source source() const { return source_; }
  bool is_static() const { return source_ == Source::kFile; }
  // The API server's copy of a static pod.
  bool is_mirror() const {
    return source_ == Source::kApi && fields_->metadata.annotations.mirror.is_set;
  }

  // What decisions read.
  const objects::Pod& fields() const { return *fields_; }
  // What is copied or compared as a whole.

  api::View root() const { return api::View(document_.root()); }
  api::View metadata() const { return root()["metadata"]; }
  api::View spec() const { return root()["spec"]; }
  api::View status() const { return root()["status"]; }

  // Identifies it on this node. For a static pod: the hash of its manifest.
  const api::Uid& uid() const { return uid_; }
  std::string_view name() const { return object_->metadata().name; }
  std::string_view name_space() const { return object_->metadata().name_space; }
  api::PodKey key() const { return {std::string(name_space()), std::string(name())}; }
  // "web_default": its name in messages.
  std::string full_name() const;
  int64_t generation() const { return object_->metadata().generation; }

  std::optional<Time> deleted_at() const { return deleted_at_; }  // deletionTimestamp
  // The grace period of its deletion, else that of the spec.
  int64_t grace_seconds() const;
  bool uses_host_network() const { return fields_->spec.host_network; }
  // Succeeded or Failed according to the API server.
  bool is_finished() const;
  std::string_view restart_policy() const { return fields_->spec.restart_policy; }

 private:
  using Fields = std::shared_ptr<const objects::Pod>;
  Pod(api::ObjectPtr object, Source source, json::Document document, Fields fields);

  const api::ObjectPtr object_;
  const Source source_;
  const json::Document document_;
  const Fields fields_;  // points into the object
  api::Uid uid_;
  std::optional<Time> deleted_at_;
};
using PodPtr = std::shared_ptr<const Pod>;

// Seconds from a spec: negative ones count as zero, and a year is the maximum.
Duration bounded_seconds(int64_t seconds);

enum class ContainerKind : uint8_t { kInit, kSidecar, kRegular, kEphemeral };

// A container of a spec, from any of its lists.
struct ContainerSpec {
  api::View view = {};
  const objects::Container* fields = nullptr;  // never null
  ContainerKind kind = ContainerKind::kRegular;
  size_t index = 0;  // in its list

  std::string_view name() const { return fields->name; }
};
// Init containers (with sidecars, in order), then regular ones, then ephemeral ones. Views into the
// pod.
std::vector<ContainerSpec> containers_of(const Pod& pod);
std::optional<ContainerSpec> find_container(const Pod& pod, std::string_view name);

}  // namespace proa::kubelet
