#pragma once

#include <cstdint>

#include "cel/types/environment.h"

namespace proa::cel {

// What expressions of webhooks and policies may mention besides object, oldObject, request and
// namespaceObject.
struct AdmissionVariables {
  bool variables = false;  // those of the policy, as `variables.NAME`
  bool params = false;
  bool authorizer = false;   // and authorizer.requestResource
  bool patch_types = false;  // Object{...}, JSONPatch{...}

  bool operator==(const AdmissionVariables&) const = default;
};

// What is known of the objects. Null: nothing, so that expressions find out when they are
// evaluated, as they do for requests. They outlive the environment.
struct AdmissionShapes {
  const Shape* object = nullptr;  // and of oldObject
  const Shape* params = nullptr;
};

// The struct of `variables`, without fields at first.
inline constexpr std::string_view kVariablesTypeName = "kubernetes.variables";

// Values are given in this order: object, oldObject, namespaceObject, request, and of the optional
// ones those that there are: variables, params, authorizer, authorizer.requestResource.
Environment admission_environment(const AdmissionVariables& variables,
                                  const AdmissionShapes& shapes = {});

}  // namespace proa::cel
