#pragma once

#include <string>
#include <string_view>

namespace proa::apiserver {

// A Swagger 2.0 document as a protobuf message (openapi.v2.Document of gnostic), put together from
// pieces of JSON. REQUIRES: the JSON is of our own making; what it says in words that OpenAPI does
// not have, or that nobody here uses, is left out.
class GnosticDocument {
 public:
  // Some members of the document itself.
  void add_json(std::string_view json);
  // One entry each of paths, definitions and parameters.
  void add_path(std::string_view path, std::string_view json);
  void add_definition(std::string_view name, std::string_view json);
  void add_parameter(std::string_view name, std::string_view json);

  std::string take();

 private:
  std::string fields_;
  std::string paths_;
  std::string definitions_;
  std::string parameters_;
};

}  // namespace proa::apiserver
