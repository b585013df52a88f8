#pragma once

#include <functional>
#include <vector>

#include "api/object/edit.h"
#include "api/selector/label_selector.h"
#include "controllers/framework/controller.h"

namespace proa::controllers {

// Whose objects are gathered.
struct Owner {
  const api::Resource& resource;
  const api::Object& object;
};

// Names the owner in the metadata of what it makes: as its controller, and as one whose deletion in
// the foreground it holds up.
void put_owner_reference(api::Edit metadata, const Owner& owner);

// Gathers the objects that belong to an owner: those that name it as their controller. Those of
// the namespace that nobody controls and that the selector wants are adopted; those that the
// selector does not want any more are let go. As upstream does it, so that controllers can be
// exchanged.
class Claimer {
 public:
  // `resource`: of the objects, "pods". Everything outlives it.
  Claimer(const ControllerContext& context, std::string_view group, std::string_view resource);

  using Filter = std::function<bool(const api::Object&)>;
  // What belongs to the owner now; a failure when something could not be adopted or let go.
  // `among`: others are not even looked at, so they stay whose they are. None: all are.
  Result<std::vector<api::ObjectPtr>> claim(const Owner& owner, const api::LabelSelector& selector,
                                            const Filter& among = {});
  // The same, for owners that want more of an object than its labels: a name that is made of
  // theirs.
  Result<std::vector<api::ObjectPtr>> claim(const Owner& owner, const Filter& wanted,
                                            const Filter& among = {});
  // Without changing anything: those that name the owner.
  std::vector<api::ObjectPtr> owned_by(const api::Object& owner) const;
  const client::Informer& informer() const { return informer_; }

 private:
  // Adopting is for owners that are really there: a cache may not know yet that this one is gone.
  Result<bool> may_adopt(const Owner& owner) const;
  Result<api::ObjectPtr> adopt(const Owner& owner, const api::Object& object);
  Result<void> release(const Owner& owner, const api::Object& object);

  client::Client& client_;
  const api::Resource& resource_;
  client::Informer& informer_;
};

}  // namespace proa::controllers
