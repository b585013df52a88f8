#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "apiserver/representation/openapi/kept/difference.h"
#include "custom/definition/definition.h"

namespace proa::apiserver {

// What a resource adds to a document, in the encoding of the document.
struct EncodedParts {
  std::string paths;
  std::string schemas;
};

// Bytes of such parts.
struct KeptSizes {
  size_t paths = 0;
  size_t schemas = 0;
};

enum class DocumentEncoding : uint8_t { kJson, kProtobuf };

// Parts of custom resources in a document of the whole API: made once for each definition and kept
// with it, so that a document after a change of one definition does not read all others. What is
// kept is the difference to the definition's own text, which is in memory anyway, and to the paths
// of a resource that stands for all: some hundred bytes for a schema of 20 kB. One for a document;
// all threads share what is kept.
class KeptParts {
 public:
  using Make = std::function<EncodedParts(const custom::CustomResource& resource)>;

  // `like`: paths that resemble those of all resources, the same in each document of an encoding.
  KeptParts(DocumentEncoding encoding, std::string like, Make make)
      : encoding_(encoding), like_(std::move(like)), make_(std::move(make)) {}

  // Append to a document.
  void add_paths(const custom::CustomResource& resource, std::string& out);
  void add_schemas(const custom::CustomResource& resource, std::string& out);
  // Adds how much these two append.
  void count(const custom::CustomResource& resource, KeptSizes& sizes);

 private:
  struct Parts;
  class Slots;
  std::shared_ptr<const Parts> find(const custom::CustomResource& resource);

  const DocumentEncoding encoding_;
  const std::string like_;
  const Make make_;
  Differences differences_;
};

}  // namespace proa::apiserver
