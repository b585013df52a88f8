#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/object/object.h"
#include "apiserver/access/admission/plugin.h"
#include "apiserver/objects/reader.h"

namespace proa::apiserver {

// A write as rules, selectors and expressions see it: upstream's admission.Attributes. For one
// thread. REQUIRES: the admission and the object outlive it.
class Subject {
 public:
  // `object`: absent for deletions.
  Subject(const Admission& admission, api::View object, const ObjectReader& objects);

  const Admission& admission() const { return admission_; }
  const api::Resource& resource() const { return *admission_.request.resource; }
  api::View object() const { return object_; }
  api::View old() const { return admission_.old; }
  // Empty if the server is going to generate it.
  std::string_view name() const { return name_; }
  // Empty for what is in no namespace. A Namespace is in itself.
  std::string_view name_space() const { return name_space_; }
  std::string_view subresource() const;  // empty: the object itself
  // Of the object: that of the subresource, if it has its own.
  const api::Type& kind() const { return kind_of(resource()); }
  // The same in another version of the resource. REQUIRES: the version has the subresource.
  const api::Type& kind_of(const api::Resource& version) const;
  // Whether it is about a Namespace.
  bool is_namespace() const;

  // The Namespace it is in, read once; kNotFound. REQUIRES: name_space() is not empty.
  Result<api::ObjectPtr> find_namespace() const;

 private:
  const Admission& admission_;
  const api::View object_;
  const ObjectReader objects_;
  std::string name_;
  std::string name_space_;
  mutable std::optional<Result<api::ObjectPtr>> namespace_;
};

// Whether it is about a policy, a binding or a configuration of webhooks: none of them applies to
// those, or nobody could remove one that refuses everything.
bool configures_admission(const Request& request);

}  // namespace proa::apiserver
