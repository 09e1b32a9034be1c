#include "server/http/exchange/date_header.h"

#include <iomanip>
#include <locale>
#include <sstream>

namespace holdfast::server {

const std::string& DateHeader::at(std::time_t time) {
  if (time == time_ && !text_.empty()) return text_;
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::ostringstream text;
  text.imbue(std::locale::classic());  // the names of days and months are English, wherever the server is
  text << std::put_time(&parts, "%a, %d %b %Y %H:%M:%S GMT");
  text_ = text.str();
  time_ = time;
  return text_;
}

}  // namespace holdfast::server
