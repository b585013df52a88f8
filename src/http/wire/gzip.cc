#include "http/wire/gzip.h"

#include <zlib.h>

#include "base/check.h"

namespace proa::http {

std::string gzip(std::string_view body) {
  z_stream stream{};
  // Adding 16 to the window bits selects gzip's framing. Level 1, as upstream: the link is rarely
  // slower than a higher level.
  CHECK(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, body.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace proa::http
