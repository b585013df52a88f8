#pragma once

#include <list>
#include <string>

#include "apiserver/access/admission/matching/criteria.h"
#include "json/value.h"

namespace proa::apiserver {

// The objects of a write in the versions that webhooks and policies ask for, each converted once.
// For one thread. REQUIRES: the subject outlives it.
class ObjectVersions {
 public:
  struct Objects {
    api::View object;  // both may be absent
    api::View old;
  };

  explicit ObjectVersions(const Subject& subject) : subject_(subject) {}

  // Views that live as long as this.
  Result<Objects> in(const Matched& matched);

 private:
  struct Converted {
    std::string group_version;
    json::Document object;
    json::Document old;
    Objects views;
  };
  Result<api::View> convert(api::View object, const Matched& matched, json::Document& kept) const;

  const Subject& subject_;
  std::list<Converted> converted_;
};

}  // namespace proa::apiserver
