#pragma once

#include <string>
#include <vector>

#include "controllers/framework/claim.h"
#include "controllers/framework/freshness.h"
#include "controllers/workload/history/revisions.h"
#include "controllers/workload/history/template_digest.h"

namespace proa::controllers {

// The ControllerRevisions of DaemonSets and StatefulSets. Safe to use from any thread.
class History {
 public:
  // `hash_label`: under which label a revision says its hash. Everything in the context outlives
  // it.
  History(const ControllerContext& context, std::string_view hash_label);

  // See Freshness.
  bool is_fresh(const client::Key& owner) { return freshness_.is_fresh(owner); }
  void forget(const client::Key& owner) { freshness_.forget(owner); }
  client::Informer& informer() { return informer_; }

  // Those of the owner, oldest first, adopted and let go.
  Result<std::vector<api::ObjectPtr>> claim(const Owner& owner, const api::LabelSelector& selector);

  // Whether it is of the template that the owner has now.
  bool is_same(const Owner& owner, const api::Object& revision) const;
  Result<json::Document> template_of(const api::Object& revision) const {
    return digests_.template_of(revision);
  }

  struct Current {
    api::ObjectPtr revision;
    int64_t collisions = 0;  // names that were taken by others, ever
  };
  // The revision of the template that the owner has now: the newest of `known` if it is that one,
  // an older one that gets the highest number if there is one, or a new one. No other has its
  // number, as one that is adopted may have had. `root`: the owner.
  Result<Current> current(const Owner& owner, api::View root,
                          const std::vector<api::ObjectPtr>& known, int64_t collisions);

  Result<api::ObjectPtr> update(const Owner& owner, const api::Object& revision,
                                json::Document changed);
  // Success when it is gone already.
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
