#pragma once

#include <string>
#include <string_view>

#include "client/client.h"

namespace proa::client {

// Builds the path and query of a request.
class RequestTarget {
 public:
  explicit RequestTarget(std::string path) : text_(std::move(path)) {}

  // Adds nothing if the value is empty.
  void add(std::string_view name, std::string_view value);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool has_query_ = false;
};

// The path of the collection that contains `place`: /api/v1/namespaces/NS/pods.
std::string collection_path(const Place& place);
// The same with name and subresource.
std::string object_path(const Place& place);

void add_list_query(RequestTarget& target, const ListQuery& query);
void add_watch_query(RequestTarget& target, const Place& place, const WatchQuery& query);
void add_write_choices(RequestTarget& target, const WriteChoices& choices);

}  // namespace proa::client
