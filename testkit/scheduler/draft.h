#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/object/edit.h"
#include "api/object/object.h"
#include "api/schema/model.h"

namespace proa::testkit {

// Names and values: labels, amounts of resources.
using Pairs = std::vector<std::pair<std::string, std::string>>;
using Names = std::vector<std::string>;

// An API object being built by a test. The result passes the server's defaulting and preparation,
// so that it is what a real server would have stored, except that its status is kept.
class Draft {
 public:
  // "apps/v1", "ReplicaSet"; without a namespace for cluster-scoped kinds.
  Draft(std::string_view group_version, std::string_view kind, std::string_view name,
        std::string_view name_space = {});
  Draft(const Draft& other);
  Draft& operator=(const Draft&) = delete;
  ~Draft() = default;

  // The object or array at "spec.containers.0.resources": missing members are created; a number is
  // an index into an existing array. The result is valid until the next call.
  api::Edit object_at(std::string_view path);
  api::Edit array_at(std::string_view path);
  api::View view(std::string_view path = {}) const;

  void set_text(std::string_view path, std::string_view text);
  void set_number(std::string_view path, int64_t number);
  void set_flag(std::string_view path, bool flag);
  void set_json(std::string_view path, std::string_view json);
  // Appends to the array.
  void push_text(std::string_view path, std::string_view text);
  void push_json(std::string_view path, std::string_view json);
  // Sets string members of an object.
  void set_pairs(std::string_view path, const Pairs& pairs);

  // CHECKs that the type has all fields that were set.
  api::ObjectPtr object() const;

 private:
  api::Edit step_to(std::string_view path, json::Kind last);
  // The object or array that contains the last step of a path, and that step.
  std::pair<api::Edit, std::string_view> parent_of(std::string_view path);
  void fill_metadata(api::Edit metadata) const;

  const api::Type* type_;
  const std::string group_version_;
  json::Document document_;
};

// Base of all builders; `Self` is the derived class.
template <typename Self>
class ObjectBuilder {
 public:
  // The default is "uid-NAMESPACE-NAME" or "uid-NAME".
  Self& uid(std::string_view uid) { return text("metadata.uid", uid); }
  Self& version(int64_t version) {
    return text("metadata.resourceVersion", std::to_string(version));
  }
  // The default is "2026-01-01T00:00:00Z".
  Self& created(std::string_view time) { return text("metadata.creationTimestamp", time); }
  Self& deleted_at(std::string_view time) { return text("metadata.deletionTimestamp", time); }
  Self& finalizer(std::string_view name) {
    draft_.push_text("metadata.finalizers", name);
    return self();
  }
  Self& label(std::string_view key, std::string_view value) {
    draft_.object_at("metadata.labels").set(key, value);
    return self();
  }
  Self& labels(const Pairs& labels) { return pairs("metadata.labels", labels); }
  Self& annotation(std::string_view key, std::string_view value) {
    draft_.object_at("metadata.annotations").set(key, value);
    return self();
  }
  // The controller. Without a uid, the builders' default for this namespace.
  Self& owner(std::string_view api_version, std::string_view kind, std::string_view name,
              std::string_view uid = {});
  // Anything else, as raw JSON: ("spec.containers.0.resizePolicy", "[...]").
  Self& json(std::string_view path, std::string_view raw) {
    draft_.set_json(path, raw);
    return self();
  }

  api::ObjectPtr object() const { return draft_.object(); }

 protected:
  explicit ObjectBuilder(Draft draft) : draft_(draft) {}

  Self& self() { return static_cast<Self&>(*this); }
  Self& text(std::string_view path, std::string_view text) {
    draft_.set_text(path, text);
    return self();
  }
  Self& number(std::string_view path, int64_t number) {
    draft_.set_number(path, number);
    return self();
  }
  Self& pairs(std::string_view path, const Pairs& pairs) {
    draft_.set_pairs(path, pairs);
    return self();
  }

  Draft draft_;
};

// For namespaced kinds: "default", unless set.
template <typename Self>
class NamespacedBuilder : public ObjectBuilder<Self> {
 public:
  Self& in(std::string_view name_space) { return this->text("metadata.namespace", name_space); }

 protected:
  using ObjectBuilder<Self>::ObjectBuilder;
};

// The default uid of builders.
std::string usual_uid(std::string_view name_space, std::string_view name);

template <typename Self>
Self& ObjectBuilder<Self>::owner(std::string_view api_version, std::string_view kind,
                                 std::string_view name, std::string_view uid) {
  const std::string usual = usual_uid(draft_.view("metadata.namespace").text(), name);
  const api::Edit owner = draft_.array_at("metadata.ownerReferences").push_object();
  owner.set("apiVersion", api_version);
  owner.set("kind", kind);
  owner.set("name", name);
  owner.set("uid", uid.empty() ? std::string_view(usual) : uid);
  owner.set("controller", true);
  owner.set("blockOwnerDeletion", true);
  return self();
}

}  // namespace proa::testkit
