#pragma once

#include <string>
#include <string_view>

#include "api/object/view.h"
#include "apiserver/representation/table/list_head.h"
#include "base/result.h"
#include "base/time.h"
#include "custom/columns/json_path.h"
#include "kinds/rules.h"

namespace proa::apiserver {

class CustomColumns;

// What a row includes of its object.
enum class IncludeObject : uint8_t { kMetadata, kNone, kObject };

// Parses the parameter includeObject; empty means kMetadata. Fails with kBadRequest for unknown
// values.
Result<IncludeObject> parse_include_object(std::string_view text);

// Objects as the rows of `kubectl get`: a meta.k8s.io Table in JSON. Tables have no protobuf form.
class Table {
 public:
  struct Options {
    std::string_view version = "v1";  // of meta.k8s.io
    IncludeObject include = IncludeObject::kMetadata;
    // True for the first event of a watch and for other responses; later events have null.
    bool column_definitions = true;
    Time now;  // for ages
    // Of a custom resource, instead of those of the rules; outlives the table. Null: none.
    const CustomColumns* custom = nullptr;
  };

  // `head` is the list's; for a single object it has only the resourceVersion. REQUIRES: the rules
  // outlive the table.
  Table(const kinds::KindRules& rules, const Options& options, const ListHead& head);

  // Adds a row; `object` is the stored text. Fails only if that is corrupt.
  Result<void> add(std::string_view object);
  // Finishes the table.
  std::string take();

 private:
  void add_row(api::View document, std::string_view object, std::string_view metadata);

  const kinds::KindRules& rules_;
  const Options options_;
  std::string text_;
  std::string scratch_;
  // For custom columns that search; a second's work at most, besides what each row adds.
  custom::PathSteps steps_{.left = 20'000'000};
};

// A table with one row: the response to a GET, or the object of an event.
Result<std::string> table_of_one(const kinds::KindRules& rules, std::string_view object,
                                 const Table::Options& options);

}  // namespace proa::apiserver
