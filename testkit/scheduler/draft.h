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

// An object of the API while a test writes it. What comes out of it went through the server's own
// defaulting and preparation, so that scheduling sees what a real server would have stored; unlike
// there, a status is kept.
class Draft {
 public:
  // "apps/v1", "ReplicaSet"; without a namespace for kinds that have none.
  Draft(std::string_view group_version, std::string_view kind, std::string_view name,
        std::string_view name_space = {});
  Draft(const Draft& other);
  Draft& operator=(const Draft&) = delete;
  ~Draft() = default;

  // The object or array at "spec.containers.0.resources": steps that are missing are made, a number
  // is the place in an array that is there. What comes back is good until the next call.
  api::Edit object_at(std::string_view path);
  api::Edit array_at(std::string_view path);
  api::View view(std::string_view path = {}) const;

  void set_text(std::string_view path, std::string_view text);
  void set_number(std::string_view path, int64_t number);
  void set_flag(std::string_view path, bool flag);
  void set_json(std::string_view path, std::string_view json);
  // Added to the end of the array.
  void push_text(std::string_view path, std::string_view text);
  void push_json(std::string_view path, std::string_view json);
  // Into an object of texts.
  void set_pairs(std::string_view path, const Pairs& pairs);

  // CHECKs that the type has all fields that were set.
  api::ObjectPtr object() const;

 private:
  api::Edit step_to(std::string_view path, json::Kind last);
  // The object or array that the last step of a path leads out of, and that step.
  std::pair<api::Edit, std::string_view> parent_of(std::string_view path);
  void fill_metadata(api::Edit metadata) const;

  const api::Type* type_;
  const std::string group_version_;
  json::Document document_;
};

// What all builders have; `Self` is the one that derives from it.
template <typename Self>
class ObjectBuilder {
 public:
  // Without it, "uid-NAMESPACE-NAME" or "uid-NAME".
  Self& uid(std::string_view uid) { return text("metadata.uid", uid); }
  Self& version(int64_t version) {
    return text("metadata.resourceVersion", std::to_string(version));
  }
  // "2026-01-01T00:00:00Z", which is also what it is without this.
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
  // The controller that it belongs to. Without a uid, the one that builders give in this namespace.
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

// The same for kinds that live in a namespace: "default", unless they are told another.
template <typename Self>
class NamespacedBuilder : public ObjectBuilder<Self> {
 public:
  Self& in(std::string_view name_space) { return this->text("metadata.namespace", name_space); }

 protected:
  using ObjectBuilder<Self>::ObjectBuilder;
};

// The uid that builders give.
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
