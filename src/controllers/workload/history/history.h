#pragma once

#include <string>
#include <vector>

#include "controllers/framework/claim.h"
#include "controllers/framework/freshness.h"
#include "controllers/workload/history/revisions.h"
#include "controllers/workload/history/template_digest.h"

namespace proa::controllers {

// The ControllerRevisions of DaemonSets and StatefulSets. Thread-safe.
class History {
 public:
  // `hash_label`: the label with a revision's hash. Everything in the context outlives it.
  History(const ControllerContext& context, std::string_view hash_label);

  // See Freshness.
  bool is_fresh(const client::Key& owner) { return freshness_.is_fresh(owner); }
  void forget(const client::Key& owner) { freshness_.forget(owner); }
  client::Informer& informer() { return informer_; }

  // The owner's revisions, oldest first, after adopting and releasing.
  Result<std::vector<api::ObjectPtr>> claim(const Owner& owner, const api::LabelSelector& selector);

  // Whether it has the owner's current template.
  bool is_same(const Owner& owner, const api::Object& revision) const;
  Result<json::Document> template_of(const api::Object& revision) const {
    return digests_.template_of(revision);
  }

  struct Current {
    api::ObjectPtr revision;
    int64_t collisions = 0;  // total number of hash collisions
  };
  // The revision of the owner's current template: the newest of `known`, an older one that gets the
  // next number, or a new one. Its number is unique, even among adopted revisions. `root`: of the
  // owner's document.
  Result<Current> current(const Owner& owner, api::View root,
                          const std::vector<api::ObjectPtr>& known, int64_t collisions);

  Result<api::ObjectPtr> update(const Owner& owner, const api::Object& revision,
                                json::Document changed);
  // Success if it is already gone.
  Result<void> remove(const Owner& owner, const api::Object& revision);

 private:
  Result<Current> create(const Owner& owner, api::View root, int64_t number, int64_t collisions);
  Result<api::ObjectPtr> renumber(const Owner& owner, const api::ObjectPtr& revision,
                                  int64_t number);

  const client::BoundedClient client_;
  const api::Resource& resource_;
  client::Informer& informer_;
  const std::string hash_label_;
  const TemplateDigests digests_;
  Claimer claimer_;
  Freshness freshness_;
};

}  // namespace proa::controllers
