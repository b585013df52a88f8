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

// Computes how much of a quota an object uses. Admission evaluates single objects; the quota
// controller evaluates a whole namespace.

namespace proa::kinds::quota {

// Access to the other objects of the cluster.
class ClusterObjects {
 public:
  virtual ~ClusterObjects() = default;
  virtual Time now() const = 0;
  // Whether the resource exists, is namespaced and is stored.
  virtual bool has(std::string_view group, std::string_view resource) const = 0;
  // REQUIRES: has(), or a cluster-scoped resource. An empty namespace means all namespaces.
  virtual Result<std::vector<api::ObjectPtr>> list(std::string_view group,
                                                   std::string_view resource,
                                                   std::string_view name_space) const = 0;
};

// A write.
struct Change {
  std::string_view subresource;  // "": the object itself
  api::View object;
  api::View old;  // absent: the object is created

  bool is_update() const { return old.exists(); }
};

// Evaluates the objects of one resource.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // Whether objects of this resource use the quota resource `name`.
  virtual bool measures(std::string_view name, const ClusterObjects& cluster) const = 0;
  // Whether a write may increase the usage.
  virtual bool concerns(const Change& change) const = 0;
  virtual bool is_in_scope(api::View object, const ScopeRule& rule) const {
    (void)object;
    (void)rule;
    return false;
  }
  // What an object lacks if these names are limited: "must specify cpu for: c". Empty: nothing.
  virtual std::string missing(api::View object, const ResourceNames& names) const {
    (void)object;
    (void)names;
    return {};
  }
  virtual Result<Amounts> usage(api::View object, const ClusterObjects& cluster) const = 0;

  bool is_in_scopes(api::View object, const std::vector<ScopeRule>& rules) const;
  ResourceNames measured(const ResourceNames& names, const ClusterObjects& cluster) const;
};

// "count/jobs.batch", "count/pods"
std::string count_name(std::string_view group, std::string_view resource);

// Whether quotas apply to the resource at all; not to events.
bool is_measured(std::string_view group, std::string_view resource);
// REQUIRES: is_measured().
std::unique_ptr<const Evaluator> evaluator_of(std::string_view group, std::string_view resource);

// The names that some evaluator measures.
ResourceNames measured_names(const ResourceNames& names, const ClusterObjects& cluster);
// The total usage of the objects of a namespace that are in scope, for those of the names that are
// measured.
Result<Amounts> usage_of_namespace(std::string_view name_space, const ResourceNames& names,
                                   const std::vector<ScopeRule>& scopes,
                                   const ClusterObjects& cluster);

}  // namespace proa::kinds::quota
