#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/object/object.h"
#include "api/object/view.h"
#include "base/time.h"
#include "client/key.h"

namespace proa::kubelet {

// One state of a pod of this node, with its parsed document. Immutable.
class Pod {
 public:
  enum class Source : uint8_t { kApi, kFile };

  // kBadRequest if its text cannot be parsed.
  static Result<std::shared_ptr<const Pod>> read(api::ObjectPtr object, Source source);
  // The same pod with a modified document: object() stays the same.
  std::shared_ptr<const Pod> with_document(json::Document document) const;
  json::Document copy_document() const { return document_.copy(); }

  const api::ObjectPtr& object() const { return object_; }
  Source source() const { return source_; }
  bool is_static() const { return source_ == Source::kFile; }
  bool is_mirror() const { return mirror_; }  // the API server's copy of a static pod

  api::View root() const { return api::View(document_.root()); }
  api::View metadata() const { return root()["metadata"]; }
  api::View spec() const { return root()["spec"]; }
  api::View status() const { return root()["status"]; }

  // Identifies it on this node. For a static pod: the hash of its manifest.
  const std::string& uid() const { return uid_; }
  std::string_view name() const { return object_->metadata().name; }
  std::string_view name_space() const { return object_->metadata().name_space; }
  client::Key key() const { return client::Key::of(*object_); }
  // "web_default": the name that a static pod shares with its mirror.
  std::string full_name() const;
  int64_t generation() const { return object_->metadata().generation; }

  std::optional<Time> deleted_at() const { return deleted_at_; }  // deletionTimestamp
  // The grace period of its deletion, else that of the spec.
  int64_t grace_seconds() const;
  bool uses_host_network() const { return spec()["hostNetwork"].flag(); }
  // Succeeded or Failed according to the API server.
  bool is_finished() const;
  std::string_view restart_policy() const { return spec()["restartPolicy"].text("Always"); }

 private:
  Pod(api::ObjectPtr object, Source source, json::Document document);

  const api::ObjectPtr object_;
  const Source source_;
  const json::Document document_;
  std::string uid_;
  std::optional<Time> deleted_at_;
  bool mirror_ = false;
};
using PodPtr = std::shared_ptr<const Pod>;

// Seconds from a spec: negative ones count as zero, and a year is the maximum.
Duration bounded_seconds(int64_t seconds);

enum class ContainerKind : uint8_t { kInit, kSidecar, kRegular, kEphemeral };

// A container of a spec, from any of its lists.
struct ContainerSpec {
  api::View view = {};
  ContainerKind kind = ContainerKind::kRegular;
  size_t index = 0;  // in its list

  std::string_view name() const { return view["name"].text(); }
};
// Init containers (with sidecars, in order), then regular ones, then ephemeral ones. Views into the
// pod.
std::vector<ContainerSpec> containers_of(const Pod& pod);
std::optional<ContainerSpec> find_container(const Pod& pod, std::string_view name);

}  // namespace proa::kubelet
