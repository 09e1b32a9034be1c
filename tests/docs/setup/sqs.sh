door=127.0.0.1:$SPARE_PORT
stands_for 127.0.0.1:7780 "$door"
serve --http-listen "$door"
export AWS_EC2_METADATA_DISABLED=true AWS_PAGER= HOME=$SCRATCH
