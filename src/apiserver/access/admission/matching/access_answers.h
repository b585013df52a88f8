#pragma once

#include "apiserver/access/authz/authorizer.h"
#include "cel/functions/kubernetes/authorizer.h"

namespace proa::apiserver {

// Answers the questions that expressions ask `authorizer`, about the user of a request or a service
// account. REQUIRES: both outlive it.
class AccessAnswers final : public cel::Authorizer {
 public:
  AccessAnswers(apiserver::Authorizer& authorizer, const User& user)
      : authorizer_(authorizer), user_(user) {}

  cel::AccessAnswer authorize(const cel::AccessQuestion& question) const override;

 private:
  apiserver::Authorizer& authorizer_;
  const User& user_;
};

}  // namespace proa::apiserver
