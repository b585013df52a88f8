#include "apiserver/front/paths/path_handler.h"

namespace proa::apiserver {

std::string sent_path_of(const http::Target& target) {
  std::string path;
  for (const std::string& segment : target.segments) {
    if (segment.find('/') != std::string::npos) return {};
    path += "/" + segment;
  }
  return path.empty() ? "/" : path;
}

std::string path_of(const http::Target& target) {
  std::string path = sent_path_of(target);
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

http::Response text_response(int code, std::string body) {
  http::Response response;
  response.status = code;
  response.headers = {{"content-type", "text/plain; charset=utf-8"},
                      {"cache-control", "no-cache, private"},
                      {"x-content-type-options", "nosniff"}};
  response.body = Bytes(std::move(body));
  return response;
}

}  // namespace proa::apiserver
