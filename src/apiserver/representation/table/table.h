#pragma once

#include <string>
#include <string_view>

#include "api/object/view.h"
#include "apiserver/representation/table/list_head.h"
#include "base/result.h"
#include "base/time.h"
#include "kinds/rules.h"

namespace proa::apiserver {

// What comes along with a row.
enum class IncludeObject : uint8_t { kMetadata, kNone, kObject };

// Of the parameter includeObject; empty means kMetadata. kBadRequest for other words.
Result<IncludeObject> parse_include_object(std::string_view text);

// Objects as the rows that `kubectl get` shows: Table of meta.k8s.io, as JSON. It has no other
// form but YAML.
class Table {
 public:
  struct Options {
    std::string_view version = "v1";  // of meta.k8s.io
    IncludeObject include = IncludeObject::kMetadata;
    // The first event of a watch has them, and every other answer; later events say null.
    bool column_definitions = true;
    Time now;  // ages are of this moment
  };

  // The head is that of the list; of a single object, nothing but its resourceVersion.
  // REQUIRES: the rules outlive the table.
  Table(const kinds::KindRules& rules, const Options& options, const ListHead& head);

  // One more row; `object` is the object's text as it is stored. Fails only when that is broken.
  Result<void> add(std::string_view object);
  // Ends it.
  std::string take();

 private:
  void add_row(api::View document, std::string_view object, std::string_view metadata);

  const kinds::KindRules& rules_;
  const Options options_;
  std::string text_;
  std::string scratch_;
};

// A table of a single object, as it is answered to a GET and as the object of an event.
Result<std::string> table_of_one(const kinds::KindRules& rules, std::string_view object,
                                 const Table::Options& options);

}  // namespace proa::apiserver
