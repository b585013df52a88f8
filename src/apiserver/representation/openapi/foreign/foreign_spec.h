#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::apiserver {

// A part of a Swagger 2.0 document that another server wrote: the paths of one group version, and
// what these refer to. All are JSON texts by name, in forms that this server's documents can have.
struct ForeignSpec {
  using Entries = std::map<std::string, std::string, std::less<>>;
  Entries paths;
  Entries definitions;
  Entries parameters;
  Entries security;  // its security definitions
  std::string info;  // empty: it has none
  std::string hash;  // of the whole document
};
using ForeignSpecPtr = std::shared_ptr<const ForeignSpec>;

// Of the paths below "/apis/GROUP/VERSION/". kInvalid for documents that cannot be passed on, also
// because their texts are too long: an entry has 8 MiB at most, all together 32 MiB.
Result<ForeignSpec> read_foreign_spec(std::string_view json, std::string_view group,
                                      std::string_view version);

// Names that this server's own document has already.
struct TakenNames {
  std::function<bool(std::string_view name)> definition;
  std::function<bool(std::string_view name)> parameter;
};
// All together. Of several definitions with one name all but the first are renamed as upstream's
// are: "NAME_v2"; equal ones are written once.
ForeignSpec merge_foreign_specs(std::span<const ForeignSpecPtr> specs, const TakenNames& taken);

}  // namespace proa::apiserver
