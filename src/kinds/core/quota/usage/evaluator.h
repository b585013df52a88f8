#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "base/result.h"
#include "base/time.h"
#include "kinds/core/quota/usage/amounts.h"
#include "kinds/core/quota/usage/scopes.h"

// How much of what quotas limit an object uses. Knows objects as JSON and where others of them are
// found, nothing else: the admission of objects asks it about one, who recalculates a quota about
// all.

namespace proa::kinds::quota {

// What else there is besides the object that is measured.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual Time now() const = 0;
  // Whether there is such a resource, within namespaces and stored.
  virtual bool has(std::string_view group, std::string_view resource) const = 0;
  // REQUIRES: has(), or a resource of the cluster. An empty namespace: of all of them.
  virtual Result<std::vector<api::ObjectPtr>> list(std::string_view group,
                                                   std::string_view resource,
                                                   std::string_view name_space) const = 0;
};

// A write.
struct Change {
  std::string_view subresource;  // "": the object itself
  api::View object;
  api::View old;  // absent: it is new

  bool is_update() const { return old.exists(); }
};

// Of one resource.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // Whether objects of this resource use what has that name.
  virtual bool measures(std::string_view name, const Surroundings& surroundings) const = 0;
  // Whether a write may use more than before.
  virtual bool concerns(const Change& change) const = 0;
  virtual bool is_in_scope(api::View object, const ScopeRule& rule) const {
    (void)object;
    (void)rule;
    return false;
  }
  // What must be said in an object where these names are limited: "must specify cpu for: c". Empty:
  // all was said.
  virtual std::string missing(api::View object, const ResourceNames& names) const {
    (void)object;
    (void)names;
    return {};
  }
  virtual Result<Amounts> usage(api::View object, const Surroundings& surroundings) const = 0;

  bool is_in_scopes(api::View object, const std::vector<ScopeRule>& rules) const;
  ResourceNames measured(const ResourceNames& names, const Surroundings& surroundings) const;
};

// "count/jobs.batch", "count/pods"
std::string count_name(std::string_view group, std::string_view resource);

// Whether objects of that resource are counted at all: events are not.
bool is_measured(std::string_view group, std::string_view resource);
// REQUIRES: is_measured().
std::unique_ptr<const Evaluator> evaluator_of(std::string_view group, std::string_view resource);

// The names that something here measures.
ResourceNames measured_names(const ResourceNames& names, const Surroundings& surroundings);
// What all objects of a namespace use together that lie within the scopes: of these names, as far
// as they are measured.
Result<Amounts> usage_of_namespace(std::string_view name_space, const ResourceNames& names,
                                   const std::vector<ScopeRule>& scopes,
                                   const Surroundings& surroundings);

}  // namespace proa::kinds::quota
